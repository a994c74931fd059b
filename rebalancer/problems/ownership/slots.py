"""Speculative slots that come and go with a provider's quota, by class.

For the coordinator, which gives listed slots to shards and takes withdrawn ones from them once its
state machine is there.
"""

import numpy as np

from models.fleet import Ints
from rebalancer.problems.ownership.top import from_the_top


def dealt_evenly(new: Ints, have: Ints) -> Ints:
    """Deal ``new[k]`` slots of each class evenly; ``have`` and the answer have shape ``(K, S)``.

    Every shard gets new // S; what is over goes, one each, to those that hold fewest of the class,
    among them to whoever was dealt least so far, then to the lower number.
    """
    classes, shards = have.shape
    base, rest = np.divmod(new, shards)
    out = np.repeat(base[:, None], shards, axis=1)
    so_far = np.zeros(shards, dtype=np.int64)
    for k in range(classes):
        order = np.lexsort((so_far, have[k]))
        out[k, order[: int(rest[k])]] += 1
        so_far += out[k]
    return out


def withdrawn(gone: Ints, unused: Ints) -> Ints:
    """Give the slots of each class that each shard loses, shape ``(K, S)``.

    They leave the shard with most unused ones, again and again. A class of which more are gone
    than are unused loses those: real machines never vanish with quota.
    """
    out = np.zeros_like(unused)
    given = np.zeros(unused.shape[1], dtype=np.int64)
    for k, count in enumerate(np.minimum(gone, unused.sum(axis=1)).tolist()):
        out[k] = from_the_top(count, unused[k], unused[k], given)
        given += out[k]
    return out
