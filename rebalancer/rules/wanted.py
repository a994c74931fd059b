"""No need is given more than it lacks."""

from collections.abc import Iterator

import numpy as np

from rebalancer.draft import Cap, Lanes, Limit
from rebalancer.snapshot import Snapshot


def wanted(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each demand: what arrives over all its lanes <= its shortage."""
    for demand in np.unique(lanes.demand).tolist():
        yield Cap(lanes.of_demand(demand), int(snapshot.demand.short[demand]))
