"""Goal: USD per hour paid for machines with a host.

    sum over machines with a host of price  +  sum over created machines of price

Draining and handing over leave a machine its host. An unknown price counts as 0 here: no such
machine is ever created, so it is the same before and after.
"""

import numpy as np

from models.cost import DEAREST_USD
from rebalancer.draft import Draft
from rebalancer.terms import Terms


def running_cost(draft: Draft) -> Terms:
    """Give the goal, in USD/h."""
    fleet = draft.snapshot.fleet
    price = np.minimum(np.nan_to_num(fleet.numbers.price_per_hour, nan=0.0), DEAREST_USD)
    paid = fleet.machines.class_index[fleet.machines.hosted]
    machine_class = draft.snapshot.supply.machine_class[draft.lanes.group]
    created = np.where(draft.creates(), price[machine_class], 0.0)
    return Terms(created, constant=float(price[paid].sum()))
