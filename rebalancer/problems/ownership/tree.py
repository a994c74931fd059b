"""Which groups are counted together: those of the same classes, by size, and all of them.

A share that is like in every group alone may be far from like in a class whose domains come in
many sizes: of 50 sizes a shard could have the odd one each time. So the groups of like classes
are ordered by size, largest first, and every beginning of that order is to be like within one as
well. Then so are the machines of the classes, within the largest domain: with sizes
a_1 >= ... >= a_n and d_i the difference between two shards in the first i groups together, the
difference in machines is sum_i (a_i - a_{i+1}) d_i with a_{n+1} = 0 (Abel), at most a_1 max |d_i|.

Groups, beginnings and the whole are laminar: any two are nested or apart. That is what lets one
flow make all of them like within one at once.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints


@dataclass(frozen=True, eq=False, slots=True)
class Tree:
    """Sets of groups, ``V`` of them, each before the one that holds it; the last holds all.

    Attributes
    ----------
    of_group
        Shape ``(G,)``. The smallest set with more than the group itself.
    above
        Shape ``(V,)``. The next larger set; for the last one V.
    """

    of_group: Ints
    above: Ints

    def __len__(self) -> int:
        return len(self.above)

    def sums(self, values: Ints) -> Ints:
        """Add up a row for each group, ``(G, ...)``, to a row for each set, ``(V, ...)``."""
        out = np.zeros((len(self), *values.shape[1:]), dtype=np.int64)
        np.add.at(out, self.of_group, values)
        for below, above in enumerate(self.above[:-1].tolist()):
            out[above] += out[below]
        return out


def flat(groups: int) -> Tree:
    """Give the tree in which nothing is counted together but all."""
    return Tree(np.zeros(groups, dtype=np.int64), np.ones(1, dtype=np.int64))


def chained(kind: Ints, size: Ints) -> Tree:
    """Give the tree of groups by ``kind``, their classes, and ``size``, machines; both ``(G,)``.

    Among groups of one size the order is that of their numbers.
    """
    order = np.lexsort((-size, kind))
    is_first = np.ones(len(kind), dtype=np.bool_)
    is_first[1:] = kind[order[1:]] != kind[order[:-1]]
    is_last = np.append(is_first[1:], True)[: len(kind)]
    # From its second group on every group of a kind closes a set.
    sets = np.cumsum(~is_first)
    whole = int(sets[-1]) if len(sets) else 0
    of_group = np.empty(len(kind), dtype=np.int64)
    # The first group belongs to the set that the second closes, if there is a second.
    of_group[order] = np.where(is_first, np.where(is_last, whole, sets), sets - 1)
    above = np.arange(1, whole + 2)
    above[:-1][is_last[~is_first]] = whole
    return Tree(of_group, above)
