"""The caps of a question as a circulation, as far as they are one.

Two families of sets of lanes, in each of which two sets are disjoint or nested, make a network
[Edmonds and Giles 1977]: the sets of one family are a tree that a lane leaves at its innermost set,
those of the other a tree that it enters so.

    outer(C) -> C       flow: the sum over C       for C of the first family; from the source
    lane                from its innermost set of the first family to that of the second
    C -> outer(C)       flow: the sum over C       for C of the second; into the sink
    sink -> source

What a machine's group can give and what a need lacks are such families; so are floors within needs
and one number of moves for all. Gangs may be split here, spreads are left out, and caps that
fit into neither family: what is least over the network is not above what is least.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.draft import Cap, Shape
from rebalancer.flows.arcs import Arcs
from rebalancer.index import Index
from rebalancer.search.components import joined, says_something

SOURCE, SINK, FIRST_CAP = 0, 1, 2


@dataclass(frozen=True, eq=False, slots=True)
class NestedCaps:
    """``arcs``, of which the first are the lanes; ``K`` caps came with it, in their order.

    ``caps`` holds the lanes of each that was kept; their arcs come next, then sink to source.
    """

    arcs: Arcs
    lanes: int
    caps: Index

    def flow(self, counts: Ints) -> Ints:
        """Give the flow, ``(A,)``, that is these counts of machines per lane, ``(X,)``."""
        sums = np.zeros(len(self.caps.starts) - 1, dtype=np.int64)
        np.add.at(sums, self.caps.owner, counts[self.caps.lanes])
        return np.concatenate([counts, sums, [counts.sum()]])

    def cost(self, per_lane: Ints) -> Ints:
        """Give the cost of each arc, ``(A,)``."""
        rest = np.zeros(len(self.arcs) - self.lanes, dtype=np.int64)
        return np.concatenate([per_lane, rest])


def nested_caps_of(shape: Shape) -> NestedCaps:
    """Give the network of a shape."""
    most = shape.most.copy()
    caps = [limit for limit in shape.limits if isinstance(limit, Cap)]
    for cap in caps:
        most[cap.lanes] = np.minimum(most[cap.lanes], max(cap.most, 0))
    caps = [cap for cap in caps if cap.most > 0 and says_something(cap, most)]
    sets = Index.of([cap.lanes for cap in caps], len(shape))
    second, fits = _families(sets)
    caps = [cap for cap, kept in zip(caps, fits.tolist(), strict=True) if kept]
    sets, second = Index.of([cap.lanes for cap in caps], len(shape)), second[fits]
    tail, outer_tail = _tree(sets, ~second, SOURCE)
    head, outer_head = _tree(sets, second, SINK)
    own = np.arange(len(caps), dtype=np.int64) + FIRST_CAP
    arcs = Arcs(
        nodes=FIRST_CAP + len(caps),
        tail=np.concatenate([tail, np.where(second, own, outer_tail), [SINK]]),
        head=np.concatenate([head, np.where(second, outer_head, own), [SOURCE]]),
        most=np.concatenate([most, [cap.most for cap in caps], [most.sum()]]).astype(np.int64),
    )
    return NestedCaps(arcs, len(shape), sets)


def _families(sets: Index) -> tuple[Mask, Mask]:
    """Say of each set, ``(K,)``, whether it belongs to the second family, and to either.

    Sets that cross, sharing a lane and neither within the other, are put in different families: a
    colouring with two colours, found as components of two copies of every set. Where there is
    none, none of those that hang together is kept.
    """
    size = np.diff(sets.starts)
    first, other = _crossing(sets, size)
    count = len(size)
    links = np.stack([first, other + count, other, first + count], axis=1).reshape(-1)
    label = joined(np.arange(0, len(links) + 1, 2, dtype=np.int64), links, 2 * count)
    here, there = label[:count], label[count:]
    return here > there, here != there


def _crossing(sets: Index, size: Ints) -> tuple[Ints, Ints]:
    """Give the pairs of sets that cross."""
    pairs = []
    # Neighbours at distance d in the list of a lane's sets.
    lane = np.repeat(np.arange(len(sets.lane_starts) - 1), np.diff(sets.lane_starts))
    for distance in range(1, int(np.diff(sets.lane_starts).max(initial=0))):
        together = np.flatnonzero(lane[distance:] == lane[:-distance])
        pairs.append(sets.sets[together] * len(size) + sets.sets[together + distance])
    pair, shared = np.unique(
        np.concatenate([*pairs, np.empty(0, dtype=np.int64)]), return_counts=True
    )
    first, other = pair // max(1, len(size)), pair % max(1, len(size))
    cross = shared < np.minimum(size[first], size[other])
    return first[cross], other[cross]


def _tree(sets: Index, member: Mask, root: int) -> tuple[Ints, Ints]:
    """Give the node of each lane, ``(X,)``, and the one around each member set, ``(K,)``.

    Equal sets lie within one another in their order.
    """
    node = np.full(len(sets.lane_starts) - 1, root, dtype=np.int64)
    outer = np.full(len(member), root, dtype=np.int64)
    kept = member[sets.owner]
    lane, owner = sets.lanes[kept], sets.owner[kept]
    order = np.lexsort((owner, np.diff(sets.starts)[owner], lane))
    lane, owner = lane[order], owner[order]
    is_same = lane[1:] == lane[:-1]
    outer[owner[:-1][is_same]] = owner[1:][is_same] + FIRST_CAP
    innermost = np.append(True, ~is_same)[: len(lane)]
    node[lane[innermost]] = owner[innermost] + FIRST_CAP
    return node, outer
