"""Only a strictly lower priority gives way, and across shards only over a gap."""

import numpy as np

from models.fleet import Mask
from rebalancer.rules.route import inherits
from rebalancer.snapshot import Snapshot, SupplyKind

NOBODY = -(2**62)
"""Below every priority, with room for any gap."""


def priority(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``: nobody loses, or one that is low enough or moves instead."""
    mask = gives_way(snapshot)
    if snapshot.demand.migrates.any():
        mask |= inherits(snapshot)
    return mask


def gives_way(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``: nobody loses, or one that is lower, elsewhere by ``min_gap``."""
    supply, demand = snapshot.supply, snapshot.demand
    of_need = [need.priority for need in snapshot.fleet.needs]
    loser = np.array([*of_need, 0], dtype=np.int64)[supply.victim]
    loser[supply.kind != SupplyKind.RUNNING] = NOBODY
    # Compared with one bound a group: a matrix of gaps would take eight times the memory.
    mask: Mask = demand.priority[None, :] >= (loser + max(snapshot.rules.min_gap, 1))[:, None]
    for shard in np.unique(demand.shard).tolist():
        inside = np.ix_(supply.shard == shard, demand.shard == shard)
        mask[inside] = demand.priority[inside[1]] > loser[inside[0]]
    return mask
