"""Pour each group's movable domains over what is fixed, like water: the level of every shard.

Of group g, with m movable domains and f_s fixed ones, the open shards are filled from the lowest:
with L the largest whole level at which sum_s max(0, L - f_s) <= m, each gets max(0, L - f_s), and
the rest, fewer than there are shards with f_s <= L, goes to as many of these, one each. Whichever
of them get it, the counts are the same up to their order, and are the least under majorisation:
least in their largest, greatest in their smallest, least in their sum of squares. Where nothing is
fixed, all are n // S or one more. (Marshall, Olkin and Arnold, Inequalities, 2011, chapter 1.)
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.holdings import Holdings


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """What is settled of a group and what is open.

    Attributes
    ----------
    base
        Shape ``(G, S)``. Movable domains that a shard gets in any case.
    rest
        Shape ``(G,)``. Domains beyond, of which a shard gets at most one.
    may
        Shape ``(G, S)``. Whether a shard may get one of the rest; more shards may than there is.
    """

    base: Ints
    rest: Ints
    may: Mask


def shares_of(holdings: Holdings) -> Shares:
    """Level every group; costs one sort of the fixed counts, ``G * S * log S``."""
    fixed = holdings.fixed[:, holdings.open]
    movable = holdings.movable.sum(axis=1)
    lowest = np.sort(fixed, axis=1)
    below = np.cumsum(lowest, axis=1)
    size = np.arange(1, fixed.shape[1] + 1)
    # Domains that it takes to lift the k lowest to the k-th; it grows with k.
    k = np.count_nonzero(size * lowest - below <= movable[:, None], axis=1)
    poured = movable + np.take_along_axis(below, k[:, None] - 1, axis=1)[:, 0]
    level, rest = np.divmod(poured, k)
    base = np.zeros_like(holdings.movable)
    base[:, holdings.open] = np.maximum(level[:, None] - fixed, 0)
    may = holdings.open & (holdings.fixed <= level[:, None])
    return Shares(base, rest, may)
