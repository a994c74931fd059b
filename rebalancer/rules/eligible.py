"""A machine goes only to a need whose requirements it meets and whose resources it has."""

from models.fleet import Mask
from rebalancer.snapshot import Snapshot


def eligible(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``; decided by ``hotpath.matching``, once for both engines."""
    return snapshot.eligible
