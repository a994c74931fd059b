"""Two Lists of machines as columns, and how one differs from the other.

Identifiers are numpy bytes, UTF-8, whose order is that of code points. They are compared byte by
byte, never by a hash alone. numpy takes NUL bytes off the end of an identifier, so that ``b"a"``
and ``b"a\\0"`` are one.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.fleet import Ints, Mask, freeze

COMPARABLE = tuple(
    np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
)
"""What a column may hold. In those of reals NaN equals NaN, and 0 equals -0."""


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """Machines by identifier.

    Attributes
    ----------
    ids
        Shape ``(M,)``, ``S<width>``.
    compared
        Each of shape ``(M,)`` and of a type in ``COMPARABLE``: what makes a machine a changed one.

    Raises
    ------
    ValueError
        When a column has another type or shape.
    """

    ids: NDArray[np.bytes_]
    compared: tuple[NDArray[Any], ...]

    def __post_init__(self) -> None:
        if self.ids.dtype.kind != "S":
            raise ValueError(f"ids have type {self.ids.dtype}, expected bytes.")
        freeze("ids", self.ids, (self.ids.size,))
        for place, column in enumerate(self.compared):
            if column.dtype not in COMPARABLE:
                raise ValueError(f"column {place} has type {column.dtype}, which is not compared.")
            freeze(f"column {place}", column, (len(self.ids),))

    def __len__(self) -> int:
        return len(self.ids)


class Fate(IntEnum):
    """What a listed row is. ``kernel/reconcile.c`` writes the same numbers."""

    KNOWN = 0
    NEW = 1
    REPEATED = 2
    NAMELESS = 3


@dataclass(frozen=True, eq=False, slots=True)
class Difference:
    """Row numbers, each ascending but for ``changed_to``.

    Attributes
    ----------
    changed, changed_to
        Known rows of which some column differs, and the listed row of each.
    new
        Listed rows that are not known.
    missing
        Known rows that are not listed. That is evidence and no more: a List that is empty, partial
        or failed never means gone, and whether this one was complete its caller knows.
    repeated
        Listed rows whose identifier an earlier row has. The provider contradicts itself; the first
        row counts, and these are nowhere else.
    nameless
        Listed rows without an identifier; these are nowhere else either.
    """

    changed: Ints
    changed_to: Ints
    new: Ints
    missing: Ints
    repeated: Ints
    nameless: Ints

    def __post_init__(self) -> None:
        for name in self.__slots__:
            column = getattr(self, name)
            freeze(name, column, (column.size,))


def alike(known: Columns, listed: Columns) -> tuple[Columns, Columns]:
    """Give both sides with identifiers of one width; refuse sides that have other columns."""
    types = [[column.dtype for column in side.compared] for side in (known, listed)]
    if types[0] != types[1]:
        raise ValueError(f"known columns have types {types[0]}, listed ones {types[1]}.")
    width = np.promote_types(known.ids.dtype, listed.ids.dtype)
    return _widened(known, width), _widened(listed, width)


def _widened(side: Columns, width: np.dtype[Any]) -> Columns:
    return Columns(side.ids.astype(width, copy=False), side.compared)


def unsorted() -> ValueError:
    """Give the error that a caller has earned who does not keep what is known in order."""
    return ValueError("known ids must be sorted, unique and not empty.")


def difference(listed_row: Ints, differs: Mask, fate: NDArray[np.uint8]) -> Difference:
    """Sum up.

    Parameters
    ----------
    listed_row, differs
        Of each known row: where it is listed, -1 for nowhere, and whether a column differs there.
    fate
        Of each listed row: a ``Fate``.
    """
    changed = np.flatnonzero(differs)
    return Difference(
        changed=changed,
        changed_to=listed_row[changed],
        new=np.flatnonzero(fate == Fate.NEW),
        missing=np.flatnonzero(listed_row < 0),
        repeated=np.flatnonzero(fate == Fate.REPEATED),
        nameless=np.flatnonzero(fate == Fate.NAMELESS),
    )
