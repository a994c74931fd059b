"""Not making a move: as many machines fewer go its way."""

from dataclasses import replace

import numpy as np

from models.fleet import Ints
from models.plan import Move, Plan
from rebalancer.carried import mapped
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
    """Count the machines of a move by the lane that each is on, ``(X,)``.

    None where it is on no lane: what replaces machines that serve comes after the draft.
    """
    return mapped(draft, replace(plan, moves=(move,)))
