"""Tell ctypes what the functions of the compiled shard take, and what their refusals mean."""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

NEED = np.dtype(
    [
        *((name, np.int32) for name in (
            "cluster", "priority", "count", "floor", "menu", "profile", "ready_profile",
            "spot_cap", "gang_axis", "spread_first", "spreads", "name_rank",
        )),
        *((name, np.float64) for name in (
            "arrival", "drain_seconds", "interruption_penalty", "reclamation_penalty",
        )),
    ],
    align=True,
)  # fmt: skip
SPREAD = np.dtype([("axis", np.int32), ("max_skew", np.int32), ("is_hard", np.int32)], align=True)
BEYOND = np.dtype([("slot", np.int32), ("begun", np.float64)], align=True)
WATCH = np.dtype([("slot", np.int32), ("cycles", np.int32), ("grace", np.float64)], align=True)
ORDER = np.dtype(
    [
        ("slot", np.int32), ("need", np.int32), ("other", np.int32), ("verb", np.uint8),
        ("why", np.uint8), ("grace", np.float64), ("cost", np.int64),
    ],
    align=True,
)  # fmt: skip
SHORT = np.dtype(
    [("need", np.int32), ("count", np.int32), ("reason", np.int32), ("age", np.int32)], align=True
)
"""Rows as C lays them out; see ``shard/shard.h``."""

MOST = 2**30 - 1
"""The most rows of a table, and the largest count; ``tables.h`` has the same."""

NUMBERS, SIZES = 7, 3
"""What ``bigfleet_shard_lengths`` and ``bigfleet_shard_bytes`` tell."""

_FAULTS = {
    -2: "names what is not there",
    -3: "is out of order",
    -4: "holds a number that makes no sense",
    -5: "came out of turn",
    -6: "is laid out in another way than the library was compiled for",
}


class Compiled:
    """A shard in the library: calls its functions and turns refusals into errors.

    It lives as long as this object.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._functions: dict[str, Callable[..., int]] = {}
        self._handle: int | None = library.bigfleet_shard_new()
        if not self._handle:
            raise MemoryError("no memory for a shard.")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._library.bigfleet_shard_free(self._handle)

    def call(self, name: str, *given: object) -> None:
        """Call ``bigfleet_shard_NAME``; arrays must have the types of ``typed_shard``.

        Raises
        ------
        ValueError
            When something given is refused; it names the table and the row.
        MemoryError
            When there is none left. The shard is of no use any more then.
        """
        if name not in self._functions:
            self._functions[name] = getattr(self._library, f"bigfleet_shard_{name}")
        code = self._functions[name](self._handle, *given)
        if code == -1:
            raise MemoryError(f"no memory for the shard's {name}.")
        if code:
            row = self._library.bigfleet_shard_fault_row(self._handle)
            raise ValueError(f"{name}: row {row} {_FAULTS[code]}.")

    def lengths(self) -> list[int]:
        """Say how long each answer is; see ``answer.c``."""
        found = np.zeros(NUMBERS, dtype=np.int32)
        self._library.bigfleet_shard_lengths(self._handle, found)
        numbers: list[int] = found.tolist()
        return numbers

    def size(self) -> list[int]:
        """Say how many bytes columns, indices and room to work in take; see ``size.c``."""
        found = np.zeros(SIZES, dtype=np.int64)
        self._library.bigfleet_shard_bytes(self._handle, found)
        sizes: list[int] = found.tolist()
        return sizes


class _Copied:
    """What C only reads, and so little of it that a copy costs less than asking for the address.

    With all caches cold, as a roll-up finds them, ``ndpointer`` took 22 to 38 us an array, which
    was most of what new counts cost.
    """

    kind: np.dtype[Any]

    @classmethod
    def from_param(cls, rows: NDArray[Any]) -> bytes:
        """Give the rows as C reads them; ctypes keeps them until the call is over."""
        if rows.dtype != cls.kind:
            raise TypeError(f"array must have data type {cls.kind}")
        return rows.tobytes()


def typed_shard(found: ctypes.CDLL) -> ctypes.CDLL:
    """Tell a library what its functions take: arrays of another type are then refused."""
    from numpy.ctypeslib import ndpointer

    def rows(kind: str | np.dtype[Any]) -> Any:
        return ndpointer(kind, flags="C_CONTIGUOUS")

    def copied(kind: str | np.dtype[Any]) -> Any:
        return type("Copied", (_Copied,), {"kind": np.dtype(kind)})

    shard, number, real = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
    codes, ints, reals, bytes_, flags = rows("i4"), rows("i8"), rows("f8"), rows("u1"), rows("u2")
    need, spread, beyond, watch = rows(NEED), rows(SPREAD), rows(BEYOND), rows(WATCH)
    few_codes, few_needs, few_spreads = copied("i4"), copied(NEED), copied(SPREAD)
    machine = [bytes_, codes, codes, reals, reals, flags]
    takes: dict[str, list[Any]] = {
        "places": [
            number, reals, reals, reals, bytes_, number, codes, codes, number, codes,
        ],
        "axis": [number, number, codes],
        "menus": [number, few_codes, ints, ints, bytes_],
        "penalties": [
            number, few_codes, copied("f8"), copied("u1"), number, number,
            ctypes.POINTER(ctypes.c_uint8),
        ],
        "profiles": [number, few_codes, copied("u8")],
        "profile": [number, copied("u8"), number, bytes_, number, bytes_],
        "clusters": [number, bytes_, bytes_],
        "needs": [number, number, need, number, spread],
        "ask": [number, number, few_codes, few_needs, number, few_spreads],
        "counts": [number, few_codes, few_codes, few_codes],
        "settings": [number, number, reals, number, codes, reals],
        "machines": [number, codes, codes, *machine],
        "change": [number, codes, *machine],
        "pause": [number, bytes_, number, codes],
        "hands_off": [number, bytes_],
        "remember": [real, codes, reals, reals, number, beyond, number, watch],
        "recall": [
            reals, codes, reals, reals, number, beyond, number, watch, number, watch,
        ],
        "answer": [number, number, rows(ORDER), number, number, rows(SHORT)],
        "serving": [number, codes],
        "books": [
            number, codes, codes, *[bytes_] * 6, number, *[ints] * 4, number, ints,
        ],
        "open": [real],
        "serve": [],
        "give_back": [],
    }  # fmt: skip
    for name, given in takes.items():
        function = getattr(found, f"bigfleet_shard_{name}")
        function.argtypes, function.restype = [shard, *given], ctypes.c_int
    found.bigfleet_shard_lengths.argtypes = [shard, codes]
    found.bigfleet_shard_lengths.restype = None
    found.bigfleet_shard_bytes.argtypes, found.bigfleet_shard_bytes.restype = [shard, ints], None
    found.bigfleet_shard_close.argtypes, found.bigfleet_shard_close.restype = [shard], None
    found.bigfleet_shard_free.argtypes, found.bigfleet_shard_free.restype = [shard], None
    found.bigfleet_shard_new.argtypes, found.bigfleet_shard_new.restype = [], shard
    found.bigfleet_shard_fault_row.argtypes = [shard]
    found.bigfleet_shard_fault_row.restype = number
    return found
