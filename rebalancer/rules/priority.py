"""Across shards only a strictly lower priority gives way, and only over a gap."""

import numpy as np

from models.fleet import Mask
from rebalancer.snapshot import Snapshot, SupplyKind


def priority(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``: nobody loses, or the loser is at least ``min_gap`` below."""
    supply, demand = snapshot.supply, snapshot.demand
    of_need = [need.priority for need in snapshot.fleet.needs]
    loser = np.array([*of_need, 0], dtype=np.int64)[supply.victim]
    gap = demand.priority[None, :] - loser[:, None]
    mask: Mask = gap >= max(snapshot.rules.min_gap, 1)
    mask |= (supply.kind != SupplyKind.RUNNING)[:, None]
    return mask
