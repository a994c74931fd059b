"""The problem as a circulation: what is offered flows up the levels to those who lack it.

Nodes, in this order: the sink and the source; each donor d; each thing k in each layer p, one layer
for every level at which something is wanted; each group g of shortfalls. Arcs and their capacities:

    total    sink -> source          machines that move at most
    free     source -> (k, e)        idle or speculative machines of k that may serve from e on
    donor    source -> d             machines that d drains at most
    drained  d -> (k, e)             machines of k on d that run work of one level
    up       (k, p) -> (k, p + 1)    what may serve a level may serve those above it
    use      (k, p_g) -> g           for every thing that the group can use
    served   g -> sink               machines that the group lacks

As sink and source are joined, every plan is a circulation, and doing nothing is one: no supply has
to be known before it is solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.fleet import Ints
from rebalancer.problems.transfer.entry import entry_levels
from rebalancer.problems.transfer.groups import Groups
from rebalancer.problems.transfer.offers import Tier
from rebalancer.problems.transfer.question import TransferQuestion

SINK, SOURCE, FIRST_DONOR = 0, 1, 2


@dataclass(frozen=True, eq=False, slots=True)
class Arcs:
    """Arcs, ``A`` of them, between ``nodes``: from where, to where, how much; all ``(A,)``."""

    nodes: int
    tail: Ints
    head: Ints
    most: Ints

    def __len__(self) -> int:
        return len(self.most)


@dataclass(frozen=True, eq=False, slots=True)
class Free:
    """The free arcs: where they stand, the ``tier`` and ``thing`` of each.

    ``offer`` are the rows of the offers that flow through them, ``arc`` the place, among the free
    arcs, of each of these; offers on one arc share tier, thing and entry.
    """

    at: slice
    tier: Ints
    thing: Ints
    offer: Ints
    arc: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Drained:
    """The drained arcs: where they stand, and the row of the offers that is each one's own."""

    at: slice
    offer: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Use:
    """The use arcs: where they stand, by group; ``thing`` and ``group`` of each."""

    at: slice
    thing: Ints
    group: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Network:
    """The arcs and what they stand for; donor and served arcs are in the order of their nodes."""

    arcs: Arcs
    total: slice
    free: Free
    donor: slice
    drained: Drained
    use: Use
    served: slice


def network_of(question: TransferQuestion, groups: Groups) -> Network:
    """Lay the arcs; offers that nobody can use have none."""
    offers, things = question.offers, question.eligible.shape[1]
    layers, layer_of_group = np.unique(groups.level, return_inverse=True)
    depth = max(len(layers), 1)
    first_thing = FIRST_DONOR + len(question.most_drains)
    first_group = first_thing + things * depth

    def node(thing: Ints, layer: Ints) -> Ints:
        place: Ints = first_thing + thing * depth + layer
        return place

    top = _top_layers(groups, layer_of_group, things)
    entry = np.searchsorted(layers, entry_levels(question))
    useful = (offers.count > 0) & (entry <= top[offers.thing])
    offer = np.flatnonzero(useful & (offers.tier != Tier.DRAIN))
    key = (offers.tier * things + offers.thing) * depth + entry
    keys, arc = np.unique(key[offer], return_inverse=True)
    kind, free_layer = np.divmod(keys, depth)
    free_tier, free_thing = np.divmod(kind, max(things, 1))
    drained = np.flatnonzero(useful & (offers.tier == Tier.DRAIN))
    group, thing = np.nonzero(groups.eligible)
    climb = np.arange(depth - 1) < top[:, None]
    up_thing, up_layer = np.nonzero(climb)
    everything = int(groups.short.sum())
    most_moves = everything if question.most_moves is None else question.most_moves
    most_moves = min(most_moves, everything)
    donors = FIRST_DONOR + np.arange(len(question.most_drains))
    sinks = first_group + np.arange(len(groups))
    arcs, at = _laid(
        first_group + len(groups),
        everything,
        [
            ([SINK], [SOURCE], [most_moves]),
            (SOURCE, node(free_thing, free_layer), _summed(offers.count[offer], arc, len(keys))),
            (SOURCE, donors, question.most_drains),
            (
                FIRST_DONOR + offers.donor[drained],
                node(offers.thing[drained], entry[drained]),
                offers.count[drained],
            ),
            (node(up_thing, up_layer), node(up_thing, up_layer + 1), everything),
            (node(thing, layer_of_group[group]), first_group + group, groups.short[group]),
            (sinks, SINK, groups.short),
        ],
    )
    total, free, donor, drain, _, use, served = at
    return Network(
        arcs,
        total,
        Free(free, free_tier, free_thing, offer, arc),
        donor,
        Drained(drain, drained),
        Use(use, thing, group),
        served,
    )


Column = Ints | Sequence[int] | int


def _laid(
    nodes: int, everything: int, blocks: list[tuple[Column, Column, Column]]
) -> tuple[Arcs, list[slice]]:
    """Put blocks of arcs behind each other; no capacity is beyond ``everything`` there is to do."""
    whole = [np.broadcast_arrays(*block) for block in blocks]
    ends = np.cumsum([0, *(len(block[0]) for block in whole)]).tolist()
    tail, head, most = (
        np.concatenate(column).astype(np.int64) for column in zip(*whole, strict=True)
    )
    at = [slice(start, end) for start, end in pairwise(ends)]
    return Arcs(nodes, tail, head, np.minimum(most, everything)), at


def _top_layers(groups: Groups, layer_of_group: Ints, things: int) -> Ints:
    """Give the last layer in which somebody can use each thing, ``(K,)``; -1 where nobody can."""
    top = np.full(things, -1, dtype=np.int64)
    for layer in range(int(layer_of_group.max(initial=-1)) + 1):
        top[groups.eligible[layer_of_group == layer].any(axis=0)] = layer
    return top


def _summed(counts: Ints, place: Ints, places: int) -> Ints:
    total = np.zeros(places, dtype=np.int64)
    np.add.at(total, place, counts)
    return total
