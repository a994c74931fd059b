"""Only a strictly lower priority gives way, and across shards only over a gap."""

import numpy as np

from models.fleet import Mask
from rebalancer.rules.route import own_shard
from rebalancer.snapshot import Snapshot, SupplyKind


def priority(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``: nobody loses, or one that is lower, elsewhere by ``min_gap``."""
    supply, demand = snapshot.supply, snapshot.demand
    of_need = [need.priority for need in snapshot.fleet.needs]
    loser = np.array([*of_need, 0], dtype=np.int64)[supply.victim]
    gap = demand.priority[None, :] - loser[:, None]
    least = np.where(own_shard(snapshot), 1, max(snapshot.rules.min_gap, 1))
    mask: Mask = gap >= least
    mask |= (supply.kind != SupplyKind.RUNNING)[:, None]
    return mask
