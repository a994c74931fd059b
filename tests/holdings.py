"""Who holds how many domains of each group, where nothing is in use."""

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.holdings import Holdings


def all_movable(movable: Ints, open: Mask | None = None) -> Holdings:
    """Give holdings in which nothing is fixed; without ``open`` every shard is."""
    shards = movable.shape[1]
    return Holdings(
        movable, np.zeros_like(movable), np.ones(shards, dtype=np.bool_) if open is None else open
    )
