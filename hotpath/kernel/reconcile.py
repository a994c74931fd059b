"""The compiled twin of ``hotpath.plain.reconcile``."""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotpath.kernel.library import library
from hotpath.lists import Columns, Difference, Fate, alike, unsorted
from hotpath.plain import reconcile as plain
from models.fleet import Ints

_UNSORTED, _CROWDED = -1, -2
_CHANGED, _MISSING = 1, 2
"""As in ``reconcile.c``."""

MOST_ROWS = 2**32 - 2
"""Of a side: a row number and one more is 32 bits of a slot."""


def reconcile(known: Columns, listed: Columns) -> Difference:
    """Compare what is known, sorted by id, with what is listed, in any order.

    Raises
    ------
    ValueError
        When the two sides have other columns, known ids are unsorted, repeated or empty, or there
        are more than ``MOST_ROWS``.
    """
    compiled = library()
    if compiled is None:
        raise ValueError("there is no compiled kernel; use hotpath.plain.reconcile.")
    known, listed = alike(known, listed)
    if max(len(known), len(listed)) > MOST_ROWS:
        raise ValueError(f"{len(known)} known and {len(listed)} listed rows are too many.")
    listed_row = np.empty(len(known), dtype=np.int64)
    marks = np.empty(len(known), dtype=np.uint8)
    fate = np.empty(len(listed), dtype=np.uint8)
    # numpy asks for large pages where there are some, and a List in order leaves this untouched.
    table = np.empty(_slots(max(len(known), len(listed))), dtype=np.uint64)
    # Both lists live until the call is over: C reads from them.
    ours, theirs = _readable(known.compared), _readable(listed.compared)
    done = compiled.bigfleet_reconcile(
        known.ids.dtype.itemsize, len(known), _bytes(known.ids), len(listed), _bytes(listed.ids),
        len(ours), _kinds(ours), _addresses(ours), _addresses(theirs), listed_row, marks, fate,
        table,
    )  # fmt: skip
    if done == _UNSORTED:
        raise unsorted()
    if done == _CROWDED:
        # Whoever made up these ids meant to hold us up: sorting takes no longer than it ever does.
        return plain.reconcile(known, listed)
    room = table.view(np.int64)

    def rows_with(column: NDArray[np.uint8], wanted: int) -> Ints:
        found = compiled.bigfleet_rows_with(len(column), column, wanted, room)
        return room[:found].copy()

    changed = rows_with(marks, _CHANGED)
    return Difference(
        changed=changed,
        changed_to=listed_row[changed],
        new=rows_with(fate, Fate.NEW),
        missing=rows_with(marks, _MISSING),
        repeated=rows_with(fate, Fate.REPEATED),
        nameless=rows_with(fate, Fate.NAMELESS),
    )


def _bytes(ids: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(ids).view(np.uint8)


def _slots(rows: int) -> int:
    """Give the slots of a hash table that so many rows leave half empty: a power of two."""
    return 2 * 1 << max(rows - 1, 0).bit_length()


def _readable(columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Give columns as C reads them: without gaps, aligned."""
    return [np.require(column, requirements=("C", "A")) for column in columns]


def _kinds(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Give the bytes of a value of each column, negative for reals."""
    sizes = [
        -column.itemsize if column.dtype.kind == "f" else column.itemsize for column in columns
    ]
    return np.array(sizes, dtype=np.int64)


def _addresses(columns: Sequence[NDArray[Any]]) -> "ctypes.Array[ctypes.c_void_p]":
    return (ctypes.c_void_p * len(columns))(*[column.ctypes.data for column in columns])
