"""Whether an answer of the flow is the best there is, by our own arithmetic.

A flow is of least cost if, and only if, its residual network has no cycle of negative cost; and it
has none if, and only if, distances exist that no arc shortens (Ahuja, Magnanti and Orlin, Network
Flows, 1993, theorems 9.1 and 9.3). The network has a node for each group and shard and one sink:

    g -> s, cost c[g,s], where s may have g and has not;    s -> g, cost -c[g,s], where it has it
    s -> sink, cost w (2 T_s + 1);    sink -> s, cost -w (2 T_s - 1), where s has any of the rest
"""

import numpy as np

from models.fleet import Mask
from rebalancer.problems.ownership.extras import Extras

FAR = np.int64(2**62)


def is_an_answer(asked: Extras, z: Mask) -> bool:
    """Tell whether every group's rest is dealt out, to shards that may have it."""
    return bool(np.all(~z | asked.may) and np.array_equal(z.sum(axis=1), asked.rest))


def is_least(asked: Extras, z: Mask) -> bool:
    """Tell whether no other answer has more even totals, or as even ones with less movement.

    Bellman and Ford's rounds, each a pass over ``(G, S)``; a path has no more arcs than there are
    nodes, so where a round after that many still shortens one there is a negative cycle.
    """
    groups, shards = z.shape
    total = asked.base + z.sum(axis=0)
    forth = np.where(asked.may & ~z, asked.cost, FAR)
    back = np.where(z, -asked.cost, FAR)
    out, into = asked.weight * (2 * total + 1), -asked.weight * (2 * total - 1)
    has_extra = z.any(axis=0)
    of_group = np.zeros(groups, dtype=np.int64)
    of_shard, of_sink = np.zeros(shards, dtype=np.int64), np.int64(0)
    for _ in range(groups + shards + 2):
        before = of_group.copy(), of_shard.copy(), of_sink
        of_sink = min(of_sink, np.min(of_shard + out))
        of_shard = np.minimum(of_shard, np.where(has_extra, of_sink + into, FAR))
        of_shard = np.minimum(of_shard, _least(of_group[:, None], forth, axis=0))
        of_group = np.minimum(of_group, _least(of_shard[None, :], back, axis=1))
        if (
            of_sink == before[2]
            and np.array_equal(of_group, before[0])
            and np.array_equal(of_shard, before[1])
        ):
            return True
    return False


def _least(start: np.ndarray, cost: np.ndarray, axis: int) -> np.ndarray:
    """Give the shortest way over any arc; a way over none is ``FAR``."""
    way = np.where(cost < FAR, start + cost, FAR)
    return np.asarray(way.min(axis=axis, initial=FAR), dtype=np.int64)
