"""So many of a need's machines as its floor says must not be interruptible."""

from collections.abc import Iterator

import numpy as np

from rebalancer.draft import Cap, Lanes, Limit
from rebalancer.snapshot import Snapshot


def floor(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each demand with a floor: machines with p > 0, held and arriving, <= count - floor."""
    fleet = snapshot.fleet
    risky = fleet.numbers.interruption_probability > 0
    for demand, row in enumerate(snapshot.demand.need):
        need = fleet.needs[row]
        if need.floor <= 0:
            continue
        held = int(np.count_nonzero(risky[fleet.machines.class_index[snapshot.held(demand)]]))
        own = lanes.of_demand(demand)
        arriving = own[risky[snapshot.supply.machine_class[lanes.group[own]]]]
        yield Cap(arriving, max(0, need.count - need.floor - held))
