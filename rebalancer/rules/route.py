"""Which ways are open: to other shards for every need, inside a shard for gangs only.

What a plain need could have inside its shard its own cycle has taken for it. A gang may compete
there with other gangs for the same domains, which a cycle that serves one after the other does not
weigh.
"""

import numpy as np

from models.fleet import Mask
from models.problem import Problem
from rebalancer.snapshot import Snapshot


def route(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, on a way that one of the problems asked for opens."""
    supply, problems = snapshot.supply, snapshot.rules.problems
    needs = snapshot.fleet.needs
    is_gang = np.array([needs[row].is_gang for row in snapshot.demand.need], dtype=np.bool_)
    opens = np.where(supply.drains, Problem.VICTIMS in problems, Problem.PACKING in problems)
    inside = own_shard(snapshot)
    mask: Mask = inside & is_gang[None, :] & opens[:, None].astype(np.bool_)
    if Problem.TRANSFER in problems:
        mask |= ~inside
    return mask


def own_shard(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, of one shard."""
    mask: Mask = snapshot.supply.shard[:, None] == snapshot.demand.shard[None, :]
    return mask
