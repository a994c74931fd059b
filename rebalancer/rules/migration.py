"""A running gang moves whole within its shard, and one gang that is short takes all it leaves."""

from collections.abc import Iterator

import numpy as np

from rebalancer.draft import Lanes, Limit, Relocation
from rebalancer.rules.priority import gives_way
from rebalancer.rules.route import inherits, open_ways
from rebalancer.snapshot import Snapshot


def migration(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """For each gang that may move: its new place, who may take the old one, and on what terms."""
    if not snapshot.demand.migrates.any():
        return
    heirs = inherits(snapshot)[lanes.group, lanes.demand]
    evictors = (open_ways(snapshot) & gives_way(snapshot))[lanes.group, lanes.demand]
    victim = snapshot.supply.victim[lanes.group]
    for demand in np.flatnonzero(snapshot.demand.migrates).tolist():
        leaving = np.flatnonzero(victim == snapshot.demand.need[demand])
        parts = [leaving[lanes.demand[leaving] == n] for n in np.unique(lanes.demand[leaving])]
        yield Relocation(
            moving=np.flatnonzero(lanes.demand == demand),
            amount=int(snapshot.demand.short[demand]),
            takers=tuple(parts),
            heirs=np.array([heirs[part[0]] for part in parts], dtype=np.bool_),
            evictors=np.array([evictors[part[0]] for part in parts], dtype=np.bool_),
        )
