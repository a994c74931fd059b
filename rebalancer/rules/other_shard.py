"""The receiver is another shard than the donor: what a shard can do alone, its own cycle does."""

from models.fleet import Mask
from rebalancer.snapshot import Snapshot


def other_shard(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, of different shards."""
    mask: Mask = snapshot.supply.shard[:, None] != snapshot.demand.shard[None, :]
    return mask
