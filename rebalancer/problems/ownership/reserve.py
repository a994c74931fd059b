"""Set domains aside for the largest gang of each shard, before the rest is shared out.

A gang that fits into one domain: a matching of shards to domains, each used once, with as few as
can be from other shards, by one flow. Of the domains that suit, a shard is offered the first of its
own and the first of others, as many of each as there are shards that ask: so many are enough, for
the rest cannot use up all of them.

A gang whose own domains are larger, spines of many racks, is given its domains one gang after the
other, largest first, with no promise that another order would not have done better.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.ownership.domains import Domains
from rebalancer.problems.ownership.gangs import LargestGang


def reserved(domains: Domains, gangs: Sequence[LargestGang], shares: int) -> dict[int, int] | None:
    """Give which domain is set aside for which shard; None where there are too few.

    ``shares`` is the number of shards that have a share.
    """
    single = [gang for gang in gangs if _lies_within(domains, gang)]
    aside = _one_each(domains, single)
    if aside is None:
        return None
    for gang in sorted(gangs, key=lambda gang: (-gang.count, gang.shard)):
        if gang not in single:
            aside |= _several(domains, gang, aside, shares)
    return aside


def _one_each(domains: Domains, asking: Sequence[LargestGang]) -> dict[int, int] | None:
    if not asking:
        return {}
    offers = [_offers(domains, gang, len(asking)) for gang in asking]
    ask = np.repeat(np.arange(len(asking)), [len(offer) for offer in offers])
    offered, node = np.unique(np.concatenate(offers), return_inverse=True)
    shard = np.array([gang.shard for gang in asking])
    taken = _matched(ask, node, domains.home[offered][node] != shard[ask], len(asking))
    if taken is None:
        return None
    return {int(offered[node[lane]]): int(shard[ask[lane]]) for lane in taken.tolist()}


def _several(
    domains: Domains, gang: LargestGang, aside: Mapping[int, int], shares: int
) -> dict[int, int]:
    """Give domains that hold the gang together; none where there are too few.

    Tried are its own domains, first that of which the shard holds most; there what must stay comes
    first, then what the shard holds, then the largest; of a group no more than a share.
    """
    useful = gang.domain >= 0
    pairs, count = np.unique(
        np.column_stack([gang.domain, domains.of_machine])[useful], axis=0, return_counts=True
    )
    others = [domain for domain, shard in aside.items() if shard != gang.shard]
    inner = pairs[:, 1]
    own = domains.home[inner] == gang.shard
    usable = (own | domains.movable[inner]) & ~np.isin(inner, others)
    held = np.bincount(pairs[:, 0], weights=count * own * usable)
    most = -(-np.bincount(domains.group) // shares)
    for outer in np.argsort(-held, kind="stable").tolist():
        there = np.flatnonzero((pairs[:, 0] == outer) & usable)
        order = there[np.lexsort((-count[there], ~own[there], domains.movable[inner[there]]))]
        order = order[_rank(domains.group[inner[order]]) < most[domains.group[inner[order]]]]
        enough = int(np.searchsorted(np.cumsum(count[order]), gang.count)) + 1
        if enough <= len(order):
            return dict.fromkeys(inner[order[:enough]].tolist(), gang.shard)
    return {}


def _rank(values: Ints) -> Ints:
    """Give how many equal values stand before each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    rank = np.empty_like(values)
    rank[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return rank


def _lies_within(domains: Domains, gang: LargestGang) -> bool:
    """Tell whether each domain that suits the gang lies within one that is owned whole."""
    useful = gang.domain >= 0
    pairs = np.unique(np.column_stack([gang.domain, domains.of_machine])[useful], axis=0)
    return len(np.unique(pairs[:, 0])) == len(pairs)


def _offers(domains: Domains, gang: LargestGang, most: int) -> Ints:
    useful = gang.domain >= 0
    inner = np.bincount(gang.domain[useful])
    fullest = np.zeros(len(domains), dtype=np.int64)
    np.maximum.at(fullest, domains.of_machine[useful], inner[gang.domain[useful]])
    suits, own = fullest >= gang.count, domains.home == gang.shard
    others = suits & ~own & domains.movable
    return np.concatenate([np.flatnonzero(mask)[:most] for mask in (suits & own, others)])


def _matched(ask: Ints, node: Ints, moves: Mask, asking: int) -> Ints | None:
    """Give the lanes, pairs of ``ask`` and ``node``, of a matching of all that ask."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    nodes = int(node.max(initial=-1)) + 1
    sink = asking + nodes
    network = SimpleMinCostFlow()
    heads = np.concatenate([asking + node, np.full(nodes, sink)])
    tails = np.concatenate([ask, asking + np.arange(nodes)])
    costs = np.concatenate([moves, np.zeros(nodes)]).astype(np.int64)
    arcs = network.add_arcs_with_capacity_and_unit_cost(
        tails.astype(np.int32), heads.astype(np.int32), np.ones_like(costs), costs
    )
    supply = np.concatenate([np.ones(asking), np.zeros(nodes), [-asking]]).astype(np.int64)
    network.set_nodes_supplies(np.arange(sink + 1, dtype=np.int32), supply)
    if network.solve() != network.OPTIMAL:
        return None
    return np.flatnonzero(network.flows(arcs)[: len(ask)] > 0)
