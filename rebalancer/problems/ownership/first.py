"""The first distribution: nobody holds anything yet, so a closed form will do."""

import numpy as np

from models.fleet import Ints


def first(count: Ints, shards: int) -> Ints:
    """Deal ``count[g]`` domains of each group over the shards; shape ``(G, S)``.

    Every shard gets n // S of a group; what is over goes to consecutive shards, beginning where
    the group before stopped. So each group is like within one domain, and so are the totals.
    """
    base, rest = np.divmod(count, shards)
    stop = np.cumsum(rest)
    place = (np.arange(shards) - (stop - rest)[:, None]) % shards
    return np.asarray(base[:, None] + (place < rest[:, None]), dtype=np.int64)
