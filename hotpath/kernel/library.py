"""Find the compiled library that was built with the package, if it was."""

import ctypes
from functools import cache

from numpy.ctypeslib import ndpointer

FILE = "_kernel.so"
"""Beside this file; ``planner.building`` makes it."""


@cache
def library() -> ctypes.CDLL | None:
    """Give the library; None where no compiler was there when the package was built."""
    folder, _, _ = __file__.rpartition("/")
    try:
        return load(f"{folder}/{FILE}")
    except OSError:
        return None


def load(path: str) -> ctypes.CDLL:
    """Load a library and tell what its functions take: arrays of another type are refused.

    Raises
    ------
    OSError
        When there is none, or none for this machine.
    """
    found = ctypes.CDLL(path)
    integers = ndpointer("i8", flags="C_CONTIGUOUS")
    flags = ndpointer("?", flags="C_CONTIGUOUS")
    number = ctypes.c_int64
    found.bigfleet_fill.argtypes = [
        number, number, integers, flags, integers, integers, integers, number, number,
    ]  # fmt: skip
    found.bigfleet_fill.restype = ctypes.c_int
    return found
