"""The one question that closed forms leave: which shards get one domain more of a group.

    z[g,s] in {0,1}, s in may(g);  sum_s z[g,s] = rest(g)
    T[v,s] = base[v,s] + sum_{g in v} z[g,s]      domains of the groups that set v counts together
    first all sets are level: min sum_{v,s} T[v,s]^2;  then least movement: min sum cost[g,s] z[g,s]

Both goals are one: the k-th domain of a set in a shard costs its part of the squares, 2k - 1, times
more than all movement together.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.tree import Tree
from rebalancer.problems.ownership.water import Shares


@dataclass(frozen=True, eq=False, slots=True)
class Extras:
    """A question for the flow.

    Attributes
    ----------
    rest, may
        Shapes ``(G,)`` and ``(G, S)``; see ``water.Shares``.
    cost
        Shape ``(G, S)``, 0 or 1. Whether one more there is one more that moves.
    base
        Shape ``(V, S)``. Domains of each set that a shard has without.
    open
        Shape ``(S,)``.
    """

    rest: Ints
    may: Mask
    cost: Ints
    base: Ints
    open: Mask
    tree: Tree

    @property
    def weight(self) -> int:
        """Give what a step of the squares costs: more than all movement together."""
        return int(self.rest.sum()) + 1


def extras_of(holdings: Holdings, tree: Tree, shares: Shares) -> Extras:
    """Ask who gets the rest; it moves nothing where the shard holds more than its base already."""
    return Extras(
        rest=shares.rest,
        may=shares.may,
        cost=(holdings.movable <= shares.base).astype(np.int64),
        base=tree.sums(holdings.fixed + shares.base),
        open=holdings.open,
        tree=tree,
    )
