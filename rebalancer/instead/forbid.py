"""Not making a move: as many machines fewer go its way."""

from dataclasses import replace

import numpy as np

from models.fleet import Ints
from models.plan import Move, Plan
from rebalancer.carried import pairs_of
from rebalancer.draft import Draft
from rebalancer.instead.condition import Condition


def forbid(draft: Draft, counts: Ints, plan: Plan, move: Move) -> Condition:
    """Give the condition that the lanes of a move have as many machines fewer than in the plan.

    ``counts``, ``(X,)``, are the plan's. Of machines that nothing tells apart none may take the
    place of another: that would be the same move under other names.
    """
    own = moved(draft, plan, move)
    lanes = np.flatnonzero(own)
    return Condition(lanes, int(counts[lanes].sum() - own.sum()), is_least=False)


def without_unit(draft: Draft, counts: Ints, plan: Plan, move: Move) -> Ints:
    """Give the counts, ``(X,)``, of the plan less all moves of the move's unit, all else alike."""
    less = counts.copy()
    for other in plan.moves:
        if other.unit == move.unit:
            less -= moved(draft, plan, other)
    return less


def moved(draft: Draft, plan: Plan, move: Move) -> Ints:
    """Count the machines of a move by the lane that each is on, ``(X,)``."""
    group, demand = pairs_of(draft.snapshot, replace(plan, moves=(move,)))
    keys = draft.lanes.group * len(draft.snapshot.demand) + draft.lanes.demand
    at = np.searchsorted(keys, group * len(draft.snapshot.demand) + demand)
    return np.bincount(at, minlength=len(keys)).astype(np.int64)
