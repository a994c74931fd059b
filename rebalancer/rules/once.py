"""A machine leaves once."""

from collections.abc import Iterator

import numpy as np

from rebalancer.draft import Cap, Lanes, Limit
from rebalancer.snapshot import Snapshot


def once(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each group: what leaves over all its lanes <= its machines."""
    if not len(lanes):
        return
    # Lanes are sorted by group, so those of one stand together.
    groups, starts = np.unique(lanes.group, return_index=True)
    parts = np.split(np.arange(len(lanes), dtype=np.int64), starts[1:])
    for part, machines in zip(parts, snapshot.supply.count[groups].tolist(), strict=True):
        yield Cap(part, machines)
