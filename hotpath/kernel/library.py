"""Find the compiled library that was built with the package, if it was."""

import ctypes
from functools import cache

FILE = "_kernel.so"
"""Beside this file; ``planner.building`` makes it."""


def kernel_name() -> str:
    """Say which kernel is at work, for people: without loading numpy, which is slow."""
    return "numpy" if _found() is None else "compiled"


@cache
def library() -> ctypes.CDLL | None:
    """Give the library; None where no compiler was there when the package was built."""
    from hotpath.kernel.binding import typed_shard

    found = _found()
    try:
        return None if found is None else typed_shard(typed(found))
    except AttributeError:
        # Built from older sources: what it lacks cannot be called.
        return None


def _found() -> ctypes.CDLL | None:
    folder, _, _ = __file__.rpartition("/")
    try:
        return ctypes.CDLL(f"{folder}/{FILE}")
    except OSError:
        return None


def typed(found: ctypes.CDLL) -> ctypes.CDLL:
    """Tell a library what its functions take: arrays of another type are then refused."""
    from numpy.ctypeslib import ndpointer

    integers = ndpointer("i8", flags="C_CONTIGUOUS")
    raw = ndpointer("u1", flags="C_CONTIGUOUS")
    words = ndpointer("u8", flags="C_CONTIGUOUS")
    number = ctypes.c_int64
    addresses = ctypes.POINTER(ctypes.c_void_p)
    found.bigfleet_reconcile.argtypes = [
        number, number, raw, number, raw, number, integers, addresses, addresses, integers, raw,
        raw, words,
    ]  # fmt: skip
    found.bigfleet_reconcile.restype = ctypes.c_int
    found.bigfleet_rows_with.argtypes = [number, raw, ctypes.c_uint8, integers]
    found.bigfleet_rows_with.restype = number
    return found
