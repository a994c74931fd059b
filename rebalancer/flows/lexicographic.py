"""Objectives one after the other over a circulation, each proven before the next begins.

The solver is asked for many at once, each weighed a few times heavier than all after it. That alone
promises nothing. But where the proof of each objective goes through on the flows that the proofs
before it left open, the flow is optimal in their order, and no weight had to be giant. Where one
does not, the solver is asked anew, in the end for this objective alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.flows.arcs import Arcs
from rebalancer.flows.proof import Face, dot, potentials, reduced_costs

RATIO = 4
"""How many times heavier an objective weighs than all after it together. A flow that trades one
unit of it for more of the rest fails its proof."""

LARGEST_PRODUCT = 2**60
"""Of a cost and the number of nodes: the solver multiplies them, and has 63 bits."""

SWEEPS = 256
"""After so many a flow is taken for not optimal; 10 were enough for 20,000 distinct shortfalls."""

MOST_SWEEPS = 2048
"""After so many a flow that the solver calls optimal stays unproven: they take 20 s of a million
arcs."""

Solve = Callable[[Arcs, Ints, Ints, Ints], Ints | None]


@dataclass(frozen=True, slots=True)
class Value:
    """What an objective came to, and a lower bound on it given those before; None = not known."""

    value: int
    bound: int | None

    @property
    def is_proven(self) -> bool:
        """Tell whether the value is the least."""
        return self.value == self.bound


def descend(arcs: Arcs, costs: Sequence[Ints], solve: Solve) -> tuple[Ints, list[Value]]:
    """Minimise costs, each ``(A,)``, one after the other; give the flow and what each came to.

    Where one cannot be proven, it has the bound that was found, and those after it have none.
    """
    nothing = np.zeros(len(arcs), dtype=np.int64)
    face = Face(arcs, nothing, arcs.most)
    flow = _cheaper(face, nothing, weighed(arcs, costs), solve)
    values: list[Value] = []
    for rank, cost in enumerate(costs):
        for candidate, sweeps in _tries(face, flow, costs[rank:], solve):
            flow = candidate
            reduced = reduced_costs(arcs, cost, potentials(face, flow, cost, sweeps))
            value = Value(dot(cost, flow), face.bound(reduced))
            if value.is_proven:
                break
        values.append(value)
        if not value.is_proven:
            return flow, values + [Value(dot(cost, flow), None) for cost in costs[rank + 1 :]]
        face = face.optimal(reduced)
    return flow, values


def _tries(
    face: Face, flow: Ints, costs: Sequence[Ints], solve: Solve
) -> Iterator[tuple[Ints, int]]:
    """Give flows that may be optimal in the first of the costs, and sweeps that show it."""
    yield flow, SWEEPS
    flow = _cheaper(face, flow, weighed(face.arcs, costs), solve)
    yield flow, SWEEPS
    yield _cheaper(face, flow, costs[0], solve), MOST_SWEEPS


def _cheaper(face: Face, flow: Ints, cost: Ints, solve: Solve) -> Ints:
    """Give the solver's flow where it is one and is cheaper, else the flow that is there."""
    if not (cost[face.least < face.most] < 0).any() and not flow.any():
        return flow
    found = solve(face.arcs, face.least, face.most, cost)
    if found is None or not face.holds(found) or dot(cost, found - flow) >= 0:
        return flow
    return found


def weighed(arcs: Arcs, costs: Sequence[Ints]) -> Ints:
    """Add up costs, each heavier than all after it: the first, and as many more as have room."""
    largest = [int(np.abs(cost).max(initial=0)) for cost in costs]
    room = LARGEST_PRODUCT // arcs.nodes
    end, total = 1, largest[0]
    while end < len(costs):
        # One more at the light end makes all before it heavier.
        total = _weights(largest[: end + 1])[1]
        if total > room:
            break
        end += 1
    weights, _ = _weights(largest[:end])
    together = np.zeros(len(arcs), dtype=np.int64)
    for weight, cost in zip(weights, costs, strict=False):
        together += weight * cost
    return together


def _weights(largest: Sequence[int]) -> tuple[list[int], int]:
    """Give the weight of each cost, by the largest of each, and the most they come to together."""
    weights, total = [], 0
    for size in reversed(largest):
        weights.append(max(1, RATIO * total))
        total += weights[-1] * size
    return weights[::-1], total
