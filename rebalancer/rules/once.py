"""A machine leaves once."""

from collections.abc import Iterator

import numpy as np

from rebalancer.draft import Cap, Lanes, Limit
from rebalancer.snapshot import Snapshot


def once(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each group: what leaves over all its lanes <= its machines."""
    count = snapshot.supply.count
    for group in np.unique(lanes.group):
        yield Cap(np.flatnonzero(lanes.group == group), int(count[group]))
