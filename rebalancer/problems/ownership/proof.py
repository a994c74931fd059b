"""Whether an answer of the flow is the best there is, by our own arithmetic.

A flow is of least cost if, and only if, its residual network has no cycle of negative cost; and it
has none if, and only if, distances exist that no arc shortens (Ahuja, Magnanti and Orlin, Network
Flows, 1993, theorems 9.1 and 9.3). The network has a node for each group, for each set in each
shard, and one sink; w is the weight of the set, v+ the set above v or the sink:

    g -> (v,s), cost c[g,s], where s may have g and has not;   back, cost -c[g,s], where it has it
    (v,s) -> (v+,s), cost w (2 T[v,s] + 1);   back, cost -w (2 T[v,s] - 1), where it holds any z
"""

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.extras import Extras

FAR = np.int64(2**62)


def is_an_answer(asked: Extras, z: Mask) -> bool:
    """Tell whether every group's rest is dealt out, to shards that may have it."""
    return bool(np.all(~z | asked.may) and np.array_equal(z.sum(axis=1), asked.rest))


def is_least(asked: Extras, z: Mask) -> bool:
    """Tell whether no other answer is more level, or as level with less movement.

    Bellman and Ford's rounds, each a few passes over ``(G, S)`` and ``(V, S)``. A shortest way has
    no more arcs than there are nodes, so a round after that many that still shortens one has found
    a cycle of negative cost.
    """
    groups, shards = z.shape
    tree, width = asked.tree, len(asked.tree) + 1
    held = tree.sums(z.astype(np.int64))
    total = asked.base + held
    up = asked.weights * (2 * total + 1)
    down = np.where(held > 0, -asked.weights * (2 * total - 1), FAR)
    into = np.where(asked.may & ~z, asked.cost, FAR)
    out = np.where(z, -asked.cost, FAR)
    of_group = np.zeros(groups, dtype=np.int64)
    # The last row stands for the sink, which is one node for all shards.
    of_set = np.zeros((width, shards), dtype=np.int64)
    for _ in range(groups + shards * width + 1):
        before, shortest = of_group.copy(), of_set.copy()
        np.minimum.at(of_set, tree.of_group, _way(of_group[:, None], into))
        np.minimum.at(of_set, tree.above, of_set[:-1] + up)
        of_set[-1] = of_set[-1].min()
        of_set[:-1] = np.minimum(of_set[:-1], _way(of_set[tree.above], down))
        of_group = np.minimum(of_group, _way(of_set[tree.of_group], out).min(axis=1))
        if np.array_equal(before, of_group) and np.array_equal(shortest, of_set):
            return True
    return False


def _way(start: Ints, cost: Ints) -> Ints:
    """Give the length of the way over each arc; over one that is not there it is ``FAR``."""
    return np.where(cost < FAR, start + cost, FAR)
