"""The last plan as a start for the next: what of it is still open, and still allowed."""

from collections.abc import Iterator
from typing import assert_never

import numpy as np

from models.fleet import Ints
from models.plan import Plan
from rebalancer.draft import Cap, Choice, Draft, Limit, Relocation, Skew
from rebalancer.snapshot import Snapshot

NOWHERE = -1


def carried(draft: Draft, plan: Plan) -> Ints:
    """Give counts of machines per lane, ``(X,)``, that keep every limit, from a plan's moves.

    The rows of the plan are rows of the draft's fleet. A machine that cannot go that way any more
    stays; so does a whole gang that would come up short, the last machines beyond what a cap
    allows, and what a spread does not allow as a whole.
    """
    counts = np.minimum(mapped(draft, plan), draft.lanes.most)
    while True:
        broken = [limit for limit in draft.limits if not limit.holds(counts)]
        if not broken:
            return counts
        for limit in broken:
            _mend(limit, counts)


def mapped(draft: Draft, plan: Plan) -> Ints:
    """Count the machines of the plan's moves by the lane that each is on, ``(X,)``."""
    group, demand = pairs_of(draft.snapshot, plan)
    demands = len(draft.snapshot.demand)
    # Lanes are sorted by group, then demand.
    lanes, wanted = draft.lanes.group * demands + draft.lanes.demand, group * demands + demand
    at = np.searchsorted(lanes, wanted)
    found = at < len(lanes)
    found[found] = lanes[at[found]] == wanted[found]
    return np.bincount(at[found], minlength=len(lanes)).astype(np.int64)


def pairs_of(snapshot: Snapshot, plan: Plan) -> tuple[Ints, Ints]:
    """Give group and demand of every machine of a plan that is known here, one entry a machine."""
    supply, demand = snapshot.supply, snapshot.demand
    group_of = np.full(len(snapshot.fleet.machines), NOWHERE)
    for group, rows in enumerate(supply.machines):
        group_of[rows] = group
    demand_of = np.full(len(snapshot.fleet.needs), NOWHERE)
    demand_of[demand.need] = np.arange(len(demand))
    steps = np.array(list(_steps(plan)), dtype=np.int64).reshape(-1, 2)
    known = (steps < [len(group_of), len(demand_of)]) & (steps >= 0)
    machine, need = steps[known.all(axis=1)].T
    here = (group_of[machine] != NOWHERE) & (demand_of[need] != NOWHERE)
    return group_of[machine[here]], demand_of[need[here]]


def _steps(plan: Plan) -> Iterator[tuple[int, int]]:
    """Give machine and need of everything that moves."""
    for move in plan.moves:
        for machine in move.machines:
            yield machine, move.need


def _mend(limit: Limit, counts: Ints) -> None:
    """Lower counts until they keep the limit, or the limit asks for nothing."""
    match limit:
        case Cap():
            own = counts[limit.lanes]
            room = np.maximum(limit.most - (np.cumsum(own) - own), 0)
            counts[limit.lanes] = np.minimum(own, room)
        case Choice():
            for option in limit.options:
                counts[option] = 0
        case Skew():
            counts[limit.lanes] = 0
        case Relocation():
            counts[limit.moving] = 0
            for lanes, may_evict in zip(limit.takers, limit.evictors.tolist(), strict=True):
                if not may_evict:
                    counts[lanes] = 0
        case _:
            assert_never(limit)
