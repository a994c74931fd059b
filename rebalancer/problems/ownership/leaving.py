"""Decommission: which domains go when a site gives some of them up.

For the coordinator, which marks machines FIXED and sends them off once its state machine is there.
"""

import numpy as np

from models.fleet import Ints
from rebalancer.flows.shares import in_proportion
from rebalancer.problems.ownership.top import from_the_top


def leaving(count: int, at_site: Ints, have: Ints) -> Ints:
    """Give how many domains of each group each shard loses, shape ``(G, S)``.

    ``at_site`` are those that may go and ``have`` all that each shard holds, both ``(G, S)``. Each
    group gives in proportion to what may go, by the largest remainder, and of it the shard that
    holds most, again and again; among those that hold the same, whoever gave least so far.

    Raises
    ------
    ValueError
        When there are fewer than ``count``.
    """
    if not 0 <= count <= int(at_site.sum()):
        raise ValueError(f"{count} domains are to go, of {int(at_site.sum())}.")
    lost = np.zeros_like(at_site)
    given = np.zeros(at_site.shape[1], dtype=np.int64)
    by_group = at_site.sum(axis=1)
    dues = in_proportion(np.array([count]), np.zeros(len(by_group), dtype=np.int64), by_group)
    for group, due in enumerate(dues.tolist()):
        lost[group] = from_the_top(due, at_site[group], have[group], given)
        given += lost[group]
    return lost
