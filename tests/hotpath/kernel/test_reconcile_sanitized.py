"""The comparison of Lists in C under the sanitizers: no index is out of range."""

from pathlib import Path

ROOT = Path(__file__).parents[3]

LISTS = """
import ctypes
import sys

import numpy as np
from hotpath.kernel import reconcile as compiled
from hotpath import lists
from hotpath.plain import reconcile as plain
from hotpath.kernel.library import typed

library = typed(ctypes.CDLL(sys.argv[1]))
compiled.library = lambda: library
chance = np.random.default_rng(7)


def out_of_line(column):
    return np.frombuffer(b"." + column.tobytes() + b".", column.dtype, len(column), offset=1)


def side(names):
    compared = (chance.integers(2, size=len(names)).astype(kind) for kind in lists.COMPARABLE)
    return lists.Columns(names, tuple(map(out_of_line, compared)))


for number in range(300):
    rows = 2 ** chance.integers(1, 9, size=2) + chance.integers(-1, 2, size=2)
    width = chance.integers(1, 20, size=2)
    known, listed = (
        chance.integers(0, 3, size=(count, wide), dtype=np.uint8).view(f"S{wide}")[:, 0]
        for count, wide in zip(rows, width)
    )
    known = np.unique(known[known != b""])
    listed = np.concatenate([listed, chance.choice(known, len(known) // 2)])
    if number % 2:
        listed.sort()
    sides = side(known), side(listed)
    told, expected = compiled.reconcile(*sides), plain.reconcile(*sides)
    for name in told.__slots__:
        assert getattr(told, name).tolist() == getattr(expected, name).tolist()
print("alike")
"""


def test_comparing_stays_inside_its_arrays(sanitized):
    done = sanitized(ROOT, LISTS)
    assert (done.returncode, done.stdout.strip()) == (0, "alike"), done.stderr[-2000:]


def test_the_sanitizers_would_tell(sanitized, spoiled):
    """A table twice as large as the memory for it is caught, so the test above can fail."""
    done = sanitized(spoiled("reconcile.c", "slots < 2 *", "slots < 4 *"), LISTS)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
