"""The one question that closed forms leave: which shards get one domain more of a group.

    z[g,s] in {0,1}, s in may(g);  sum_s z[g,s] = rest(g)
    T[v,s] = base[v,s] + sum_{g in v} z[g,s]      domains of the groups that set v counts together
    first the sets are level, the whole apart: min sum_{v,s} T[v,s]^2;  then the whole is, in the
    same sense;  then least movement: min sum cost[g,s] z[g,s]

All goals are one cost: the k-th domain of a set in a shard costs its part of the squares, 2k - 1,
times the weight of the set. Weights need not outgrow all that could be gained below them, only what
one cycle of the residual network could gain: a cycle passes each group once, so it saves at most a
move for each, and the sink once, so it changes the squares of the whole by twice the distance of
two totals, and 2. A gain above is then never paid for with all the losses below.
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
    def weights(self) -> Ints:
        """Give what a step of the squares of each set costs, shape ``(V, 1)``."""
        groups = len(self.rest)
        most = self.base[-1] + self.may.sum(axis=0)
        apart = int(most[self.open].max() - self.base[-1][self.open].min())
        whole = groups + 1
        weights = np.full((len(self.tree), 1), whole * (2 * apart + 2) + groups + 1, dtype=np.int64)
        weights[-1] = whole
        return weights


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
