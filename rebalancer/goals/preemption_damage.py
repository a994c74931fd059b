"""Goal: USD lost by evicting running machines.

    sum over evicted machines of the larger of its own and its need's reclamation penalty
    + sum over evicted machines of needs that are no gang of the interruption penalty
    + sum over gangs that lose at least one machine of the interruption penalty, once

A machine that serves nobody is not evicted by draining it.
"""

import numpy as np

from rebalancer.draft import Draft, Terms


def preemption_damage(draft: Draft) -> Terms:
    """Give the goal, in USD."""
    needs, victims = draft.snapshot.fleet.needs, draft.victims()
    each = [0.0 if need.is_gang else need.interruption_penalty for need in needs]
    per_lane = draft.snapshot.supply.penalty[draft.lanes.group] + np.array([*each, 0.0])[victims]
    gangs = [need for need in np.unique(victims).tolist() if need >= 0 and needs[need].is_gang]
    return Terms(per_lane, per_broken={need: needs[need].interruption_penalty for need in gangs})
