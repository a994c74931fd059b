"""The proof: bounds hold for any numbers on the nodes, and only what is optimal reaches one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rebalancer.flows.arcs import Arcs
from rebalancer.flows.proof import Face, dot, potentials, reduced_costs

NODES = 4


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


@st.composite
def faces(draw: st.DrawFn) -> Face:
    number = draw(st.integers(1, 6))
    node = st.integers(0, NODES - 1)
    columns = [draw(st.lists(node, min_size=number, max_size=number)) for _ in range(2)]
    least = draw(st.lists(st.integers(0, 1), min_size=number, max_size=number))
    room = draw(st.lists(st.integers(0, 2), min_size=number, max_size=number))
    arcs = Arcs(NODES, ints(*columns[0]), ints(*columns[1]), ints(*least) + ints(*room))
    return Face(arcs, ints(*least), arcs.most)


def circulations(face: Face) -> list[np.ndarray]:
    """Try every flow within the limits, and say of each plainly whether it is one."""
    ranges = [range(a, b + 1) for a, b in zip(face.least, face.most, strict=True)]
    found = []
    for values in product(*ranges):
        left = [0] * NODES
        for value, tail, head in zip(values, face.arcs.tail, face.arcs.head, strict=True):
            left[tail] -= value
            left[head] += value
        if not any(left):
            found.append(ints(*values))
    return found


costs = st.lists(st.integers(-3, 3), min_size=6, max_size=6).map(lambda given: ints(*given))
numbers = st.lists(st.integers(-5, 5), min_size=NODES, max_size=NODES).map(lambda y: ints(*y))


@settings(deadline=None)
@given(faces(), costs, numbers)
def test_a_bound_holds_for_any_numbers_on_the_nodes(face, cost, potential):
    cost = cost[: len(face.arcs)]
    bound = face.bound(reduced_costs(face.arcs, cost, potential))
    assert all(bound <= int(cost @ flow) for flow in circulations(face))


@settings(deadline=None)
@given(faces(), costs)
def test_the_best_flows_are_proven_and_no_others_and_they_are_the_face(face, cost):
    cost = cost[: len(face.arcs)]
    flows = circulations(face)
    least = min((int(cost @ flow) for flow in flows), default=0)
    best = {tuple(flow) for flow in flows if int(cost @ flow) == least}
    for flow in flows:
        reduced = reduced_costs(face.arcs, cost, potentials(face, flow, cost, 100))
        is_proven = face.bound(reduced) == int(cost @ flow)
        assert is_proven == (tuple(flow) in best)
        if is_proven:
            assert {tuple(flow) for flow in circulations(face.optimal(reduced))} == best


def ring() -> Face:
    arcs = Arcs(3, ints(0, 1, 2), ints(1, 2, 0), ints(5, 5, 5))
    return Face(arcs, ints(0, 0, 0), arcs.most)


@pytest.mark.parametrize(
    "flow", [ints(3, 3, 2), ints(6, 6, 6), ints(-1, -1, -1), ints(3, 3), ints(0, 0, 1)]
)
def test_a_corrupted_flow_is_noticed(flow):
    assert ring().holds(ints(3, 3, 3))
    assert not ring().holds(flow)


def test_a_flow_below_what_is_held_is_noticed():
    face = Face(ring().arcs, ints(2, 0, 0), ring().most)
    assert face.holds(ints(2, 2, 2))
    assert not face.holds(ints(1, 1, 1))


def test_sums_beyond_63_bits_are_whole():
    huge = ints(2**40, 2**40, -(2**40), 1)
    assert dot(huge, ints(2**40, 2**40, 2**40, 3)) == 2**80 + 3
