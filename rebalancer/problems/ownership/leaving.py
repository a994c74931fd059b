"""Decommission: which domains go when a site gives some of them up."""

import numpy as np

from models.fleet import Ints
from rebalancer.problems.ownership.top import from_the_top


def in_proportion(count: int, there: Ints) -> Ints:
    """Split ``count`` over groups as ``there``, ``(G,)``, is split: by the largest remainder.

    Ties: the group of the lower number. ``count`` is at most the sum of ``there``.
    """
    total = int(there.sum())
    whole, remainder = np.divmod(count * there, max(total, 1))
    order = np.argsort(-remainder, kind="stable")[: count - int(whole.sum())]
    whole[order] += 1
    return np.asarray(whole, dtype=np.int64)


def leaving(count: int, at_site: Ints, have: Ints) -> Ints:
    """Give how many domains of each group each shard loses, shape ``(G, S)``.

    ``at_site`` are those that may go and ``have`` all that each shard holds, both ``(G, S)``. Each
    group gives in proportion, and of it the shard that holds most, again and again; among those
    that hold the same, whoever gave least so far.

    Raises
    ------
    ValueError
        When there are fewer than ``count``.
    """
    if not 0 <= count <= int(at_site.sum()):
        raise ValueError(f"{count} domains are to go, of {int(at_site.sum())}.")
    lost = np.zeros_like(at_site)
    given = np.zeros(at_site.shape[1], dtype=np.int64)
    for group, due in enumerate(in_proportion(count, at_site.sum(axis=1)).tolist()):
        lost[group] = from_the_top(due, at_site[group], have[group], given)
        given += lost[group]
    return lost
