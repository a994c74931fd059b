"""Which ways are open: to other shards for every need, inside a shard for gangs only.

What a plain need could have inside its shard its own cycle has taken for it. A gang may compete
there with other gangs for the same domains, which a cycle that serves one after the other does not
weigh. A gang that may move goes to free machines only.
"""

import numpy as np

from models.fleet import Mask
from models.problem import Problem
from rebalancer.snapshot import Snapshot


def route(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, on a way that is open, or opens when a gang moves away."""
    mask = open_ways(snapshot)
    if snapshot.demand.migrates.any():
        mask |= inherits(snapshot)
    return mask


def open_ways(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, on a way that one of the problems asked for opens."""
    supply, demand, problems = snapshot.supply, snapshot.demand, snapshot.rules.problems
    drains = supply.drains[:, None]
    opens = np.where(drains, Problem.VICTIMS in problems, Problem.PACKING in problems)
    inside = own_shard(snapshot)
    mask: Mask = inside & _is_gang(snapshot)[None, :] & opens & ~(drains & demand.migrates)
    if Problem.TRANSFER in problems:
        mask |= ~inside & ~demand.migrates
    return mask


def inherits(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, of a gang that may move and one that may have all it leaves.

    That one is of its shard, short, of equal or higher priority, and large enough. Some gang is to
    be among the demands that may move.
    """
    supply, demand = snapshot.supply, snapshot.demand
    number = np.full(len(snapshot.fleet.needs) + 1, -1, dtype=np.int64)
    number[demand.need[demand.migrates]] = np.flatnonzero(demand.migrates)
    mover = number[supply.victim]
    mask: Mask = own_shard(snapshot) & (_is_gang(snapshot) & ~demand.migrates)[None, :]
    mask &= (mover >= 0)[:, None]
    mask &= demand.priority[None, :] >= demand.priority[mover][:, None]
    mask &= demand.short[None, :] >= demand.short[mover][:, None]
    return mask


def own_shard(snapshot: Snapshot) -> Mask:
    """Mark the pairs, ``(G, N)``, of one shard."""
    mask: Mask = snapshot.supply.shard[:, None] == snapshot.demand.shard[None, :]
    return mask


def _is_gang(snapshot: Snapshot) -> Mask:
    needs = snapshot.fleet.needs
    return np.array([needs[row].is_gang for row in snapshot.demand.need], dtype=np.bool_)
