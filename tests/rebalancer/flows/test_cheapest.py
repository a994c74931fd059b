"""The solver's door: a least circulation, or nothing."""

import numpy as np
import pytest

from rebalancer.flows.arcs import Arcs
from rebalancer.flows.cheapest import cheapest


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


RING = Arcs(3, ints(0, 1, 2, 0), ints(1, 2, 0, 1), ints(5, 5, 5, 5))
"""Two ways from 0 to 1, one on to 2 and back."""


@pytest.mark.parametrize(
    ("least", "most", "cost", "flow"),
    [
        ([0, 0, 0, 0], [5, 5, 5, 5], [1, 1, 1, 1], [0, 0, 0, 0]),
        ([0, 0, 0, 0], [5, 5, 5, 2], [3, -5, 1, 2], [3, 5, 5, 2]),
        ([0, 0, 0, 0], [5, 5, 5, 2], [5, -5, 1, 2], [0, 2, 2, 2]),
        ([1, 0, 0, 0], [5, 5, 5, 5], [1, 1, 1, -9], [1, 5, 5, 4]),
        ([2, 0, 0, 0], [2, 4, 5, 5], [9, 1, 1, 1], [2, 2, 2, 0]),
    ],
)
def test_a_circulation_of_least_cost_within_the_limits(least, most, cost, flow):
    assert cheapest(RING, ints(*least), ints(*most), ints(*cost)).tolist() == flow


def test_there_is_none():
    assert cheapest(RING, ints(3, 0, 0, 0), ints(3, 2, 5, 5), ints(1, 1, 1, 1)) is None


def test_costs_beyond_its_numbers_are_refused():
    nothing = ints(0, 0, 0, 0)
    assert cheapest(RING, nothing, RING.most, ints(-(2**62), 1, 1, 1)) is None
