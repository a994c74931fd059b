"""Goal: USD lost by evicting running machines.

    sum over evicted machines of the larger of its own and its need's reclamation penalty
    + sum over evicted machines of needs that are no gang of the interruption penalty
    + sum over gangs that lose at least one machine of the interruption penalty, once

A machine that serves nobody is not evicted by draining it.
"""

import numpy as np

from models.cost import DEAREST_USD
from models.distinct import places_of
from rebalancer.draft import Draft
from rebalancer.terms import Flag, Terms


def preemption_damage(draft: Draft) -> Terms:
    """Give the goal, in USD."""
    needs, victims = draft.snapshot.fleet.needs, draft.victims()
    once = [min(need.interruption_penalty, DEAREST_USD) for need in needs]
    each = [0.0 if need.is_gang else cost for need, cost in zip(needs, once, strict=True)]
    taken = draft.snapshot.supply.penalty[draft.lanes.group]
    losing = places_of(victims).items()
    return Terms(
        taken + np.array([*each, 0.0])[victims],
        features=tuple(
            (once[need], Flag(lanes)) for need, lanes in losing if need >= 0 and needs[need].is_gang
        ),
    )
