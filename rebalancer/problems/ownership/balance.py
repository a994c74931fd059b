"""Growth, shrinking, splitting, merging: like shares again, and no domain moves that need not."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.problems.ownership.extras import extras_of
from rebalancer.problems.ownership.flow import extras
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.tree import Tree
from rebalancer.problems.ownership.water import shares_of


@dataclass(frozen=True, eq=False, slots=True)
class Balanced:
    """A distribution.

    Attributes
    ----------
    after
        Shape ``(G, S)``. The movable domains that each shard holds then.
    moved
        Domains that change hands.
    proven
        Whether nothing more level exists, nor anything as level with less movement, as found again
        from the answer (see ``proof``). The groups, each alone, are level in any case.
    """

    after: Ints
    moved: int
    proven: bool


def balanced(holdings: Holdings, tree: Tree) -> Balanced:
    """Level groups (see ``water``), then sets, then the whole, then move as few as that allows.

    A new shard is one that holds nothing yet; one that goes is closed. Level is: the least sum of
    squares, of each group, then over the sets but the whole, then of the whole. A group ends within
    one where nothing of it is fixed, the sets of a kind where nothing of the kind is, and the whole
    where nothing is.

    Raises
    ------
    ValueError
        When the solver's answer is none.
    """
    shares = shares_of(holdings)
    asked = extras_of(holdings, tree, shares)
    z, proven = extras(asked)
    after = shares.base + z
    moved = int(np.maximum(after - holdings.movable, 0).sum())
    return Balanced(after, moved, proven)


def is_level(holdings: Holdings, tree: Tree, after: Ints) -> bool:
    """Tell whether no movable domain would be less crowded elsewhere.

    That is asked of each group, and of the sets of each kind of which nothing is fixed.
    """
    have = np.asarray((holdings.fixed + after)[:, holdings.open], dtype=np.int64)
    most = np.where(after[:, holdings.open] > 0, have, 0).max(axis=1)
    groups = bool(np.all(most <= have.min(axis=1) + 1))
    is_free = tree.sums(holdings.fixed.sum(axis=1)) == 0
    for below, above in reversed([*enumerate(tree.above[:-1].tolist())]):
        is_free[below] &= is_free[above] or above == len(tree) - 1
    together = tree.sums(have)[is_free]
    sets = bool(np.all(together.max(axis=1) <= together.min(axis=1) + 1))
    return groups and sets and not bool(after[:, ~holdings.open].any())
