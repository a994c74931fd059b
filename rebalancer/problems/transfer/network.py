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

from dataclasses import dataclass, replace

import numpy as np

from models.distinct import sums
from models.fleet import Ints
from rebalancer.flows.arcs import Arcs, laid
from rebalancer.problems.transfer.entry import entry_levels
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.groups import Groups
from rebalancer.problems.transfer.offers import Tier

SINK, SOURCE, FIRST_DONOR = 0, 1, 2


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


def network_of(question: Exchange, groups: Groups) -> Network:
    """Lay the arcs; offers that nobody can use have none."""
    offers, donors = question.offers, len(question.most_drains)
    layers = _layers(question, groups)
    useful = (offers.count > 0) & (layers.entry <= layers.top[offers.thing])
    free, free_layer = _free(question, layers, np.flatnonzero(useful & (offers.tier != Tier.DRAIN)))
    drained = np.flatnonzero(useful & (offers.tier == Tier.DRAIN))
    up_thing, up_layer = np.nonzero(np.arange(layers.depth - 1) < layers.top[:, None])
    group, thing = np.nonzero(groups.eligible)
    first_group = FIRST_DONOR + donors + len(layers.top) * layers.depth
    everything = int(groups.short.sum())
    most_moves = everything if question.most_moves is None else question.most_moves

    def node(thing: Ints, layer: Ints) -> Ints:
        place: Ints = FIRST_DONOR + donors + thing * layers.depth + layer
        return place

    arcs, at = laid(
        first_group + len(groups),
        everything,
        [
            ([SINK], [SOURCE], [min(most_moves, everything)]),
            (
                SOURCE,
                node(free.thing, free_layer),
                sums(free.arc, offers.count[free.offer], len(free.thing)),
            ),
            (SOURCE, FIRST_DONOR + np.arange(donors), question.most_drains),
            (
                FIRST_DONOR + offers.donor[drained],
                node(offers.thing[drained], layers.entry[drained]),
                offers.count[drained],
            ),
            (node(up_thing, up_layer), node(up_thing, up_layer + 1), everything),
            (node(thing, layers.of_group[group]), first_group + group, groups.short[group]),
            (first_group + np.arange(len(groups)), SINK, groups.short),
        ],
    )
    total, free_at, donor, drain, _, use, served = at
    return Network(
        arcs,
        total,
        replace(free, at=free_at),
        donor,
        Drained(drain, drained),
        Use(use, thing, group),
        served,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Layers:
    """The levels at which something is wanted.

    ``of_group``, ``(G,)``, and ``entry``, ``(O,)``, say in which layer a group is and in which an
    offer comes in; ``top``, ``(K,)``, is the last in which somebody can use the thing, or -1.
    """

    depth: int
    of_group: Ints
    entry: Ints
    top: Ints


def _layers(question: Exchange, groups: Groups) -> _Layers:
    levels, of_group = np.unique(groups.level, return_inverse=True)
    top = np.full(question.eligible.shape[1], -1, dtype=np.int64)
    for layer in range(len(levels)):
        top[groups.eligible[of_group == layer].any(axis=0)] = layer
    entry = np.searchsorted(levels, entry_levels(question)).astype(np.int64)
    return _Layers(max(len(levels), 1), of_group.astype(np.int64), entry, top)


def _free(question: Exchange, layers: _Layers, offer: Ints) -> tuple[Free, Ints]:
    """Put offers on free arcs, whose place is not yet known; give the layer of each arc too."""
    things = len(layers.top)
    key = (question.offers.tier[offer] * things + question.offers.thing[offer]) * layers.depth
    keys, arc = np.unique(key + layers.entry[offer], return_inverse=True)
    kind, layer = np.divmod(keys, layers.depth)
    tier, thing = np.divmod(kind, max(things, 1))
    return Free(slice(0, len(keys)), tier, thing, offer, arc.astype(np.int64)), layer
