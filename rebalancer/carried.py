"""The last plan as a start for the next: what of it is still open, and still allowed."""

from collections.abc import Iterator

import numpy as np

from models.fleet import Ints
from models.plan import Plan
from rebalancer.draft import Cap, Choice, Draft, Limit, Skew

NOWHERE = -1


def carried(draft: Draft, plan: Plan) -> Ints:
    """Give counts of machines per lane, ``(X,)``, that keep every limit, from a plan's moves.

    The rows of the plan are rows of the draft's fleet. A machine that cannot go that way any more
    stays; so does a whole gang that would come up short, the last machines beyond what a cap
    allows, and what a spread does not allow as a whole.
    """
    counts = np.minimum(_mapped(draft, plan), draft.lanes.most)
    while True:
        broken = [limit for limit in draft.limits if not limit.holds(counts)]
        if not broken:
            return counts
        for limit in broken:
            _mend(limit, counts)


def _mapped(draft: Draft, plan: Plan) -> Ints:
    """Count the machines of the plan's moves by the lane that each is on, ``(X,)``."""
    supply, demand = draft.snapshot.supply, draft.snapshot.demand
    group_of = np.full(len(draft.snapshot.fleet.machines), NOWHERE)
    for group, rows in enumerate(supply.machines):
        group_of[rows] = group
    demand_of = np.full(len(draft.snapshot.fleet.needs), NOWHERE)
    demand_of[demand.need] = np.arange(len(demand))
    steps = np.array(list(_steps(plan)), dtype=np.int64).reshape(-1, 2)
    known = (steps < [len(group_of), len(demand_of)]) & (steps >= 0)
    machine, need = steps[known.all(axis=1)].T
    wanted = group_of[machine] * len(demand) + demand_of[need]
    wanted = wanted[(group_of[machine] != NOWHERE) & (demand_of[need] != NOWHERE)]
    # Lanes are sorted by group, then demand.
    lanes = draft.lanes.group * len(demand) + draft.lanes.demand
    at = np.searchsorted(lanes, wanted)
    found = at < len(lanes)
    found[found] = lanes[at[found]] == wanted[found]
    return np.bincount(at[found], minlength=len(lanes)).astype(np.int64)


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
