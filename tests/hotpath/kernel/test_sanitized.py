"""The C code under the address and undefined-behaviour sanitizers: no index is out of range."""

from pathlib import Path

ROOT = Path(__file__).parents[3]

DEALS = """
import ctypes
import sys

import numpy as np
from hotpath.attribution import Groups, fill, keep
from hotpath.kernel import attribution
from hotpath.kernel.library import typed

library = typed(ctypes.CDLL(sys.argv[1]))
attribution.library = lambda: library
chance = np.random.default_rng(7)
for _ in range(400):
    needs, width = chance.integers(1, 12), chance.integers(1, 12)
    fits = chance.random((needs, width)) < chance.random()
    label = chance.integers(-1, needs, width)
    moves = (label[None, :] != np.arange(needs)[:, None]).astype(np.int64)
    groups = Groups(chance.integers(0, 9, width), fits, moves)
    wanted = chance.integers(0, 12, needs)
    flow = keep(groups, wanted)
    attribution.fill_some(groups, flow, wanted, 0, int(needs))
    assert flow.tolist() == fill(groups, wanted).tolist()
print("alike")
"""


def test_dealing_stays_inside_its_arrays(sanitized):
    done = sanitized(ROOT, DEALS)
    assert (done.returncode, done.stdout.strip()) == (0, "alike"), done.stderr[-2000:]


def test_the_sanitizers_would_tell(sanitized, spoiled):
    """A library that writes one past its memory is caught, so the test above can fail."""
    done = sanitized(spoiled("attribution.c", "g + 5 * n + 1 + n * g", "g + 5 * n"), DEALS)
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr
