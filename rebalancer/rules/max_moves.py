"""At most so many machines move in one plan, where the settings say so."""

from collections.abc import Iterator

import numpy as np

from rebalancer.draft import Cap, Lanes, Limit
from rebalancer.snapshot import Snapshot


def max_moves(snapshot: Snapshot, lanes: Lanes) -> Iterator[Limit]:
    """Over all lanes: machines <= ``max_moves``."""
    most = snapshot.rules.max_moves
    if most is not None:
        yield Cap(np.arange(len(lanes), dtype=np.int64), most)
