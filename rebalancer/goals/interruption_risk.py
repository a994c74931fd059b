"""Goal: USD per hour expected to be lost to interruptions.

    sum over machines that serve a need of p * interruption penalty of that need

A machine that moves takes its p from its victim, if any, to its receiver.
"""

import numpy as np

from models.cost import DEAREST_USD
from rebalancer.draft import Draft
from rebalancer.terms import Terms


def interruption_risk(draft: Draft) -> Terms:
    """Give the goal, in USD/h."""
    snapshot, lanes = draft.snapshot, draft.lanes
    fleet, serves = snapshot.fleet, snapshot.standing.serves
    probability = fleet.numbers.interruption_probability
    penalty = np.array([*(need.interruption_penalty for need in fleet.needs), 0.0])
    penalty = np.minimum(penalty, DEAREST_USD)
    now = float((probability[fleet.machines.class_index] * penalty[serves]).sum())
    receiver = snapshot.demand.need[lanes.demand]
    change = penalty[receiver] - penalty[draft.victims()]
    return Terms(probability[snapshot.supply.machine_class[lanes.group]] * change, constant=now)
