"""The lanes that look best for each need by itself, as many as a draft can hold."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.snapshot import Snapshot, SupplyKind


@dataclass(frozen=True, eq=False, slots=True)
class Selection:
    """``chosen`` marks pairs, ``(G, N)``; ``hopeless`` gangs, ``(N,)``, that no domain can take."""

    chosen: Mask
    hopeless: Mask


def selection(snapshot: Snapshot, allowed: Mask, most: int) -> Selection:
    """Choose about ``most`` of the allowed pairs, ``(G, N)``; all needs get as many, or all theirs.

    A plain need gets its best sources, in the order in which the greedy plan takes them, and as
    many more from all over, lest all needs find the same ones taken. A gang gets whole domains,
    those it fits best; gangs alike begin at different domains.
    """
    supply, needs = snapshot.supply, snapshot.fleet.needs
    order = _ranked(snapshot)
    count, is_idle = supply.count[order], supply.kind[order] == SupplyKind.IDLE
    keys = {needs[row].same for row in snapshot.demand.need.tolist()}
    domains = {key: _domains(snapshot, key)[order] for key in keys if key is not None}
    each = _share(np.count_nonzero(allowed, axis=0), most)
    # A row a need, the groups in the order in which they are taken.
    open_to = np.ascontiguousarray(allowed[order].T)
    chosen, hopeless = np.zeros_like(open_to), np.zeros(len(open_to), dtype=np.bool_)
    twins: Counter[tuple[object, ...]] = Counter()
    for demand, row in enumerate(snapshot.demand.need.tolist()):
        groups, need = np.flatnonzero(open_to[demand]), needs[row]
        if need.same is None:
            chosen[demand, groups[_spread(len(groups), each, demand)]] = True
            continue
        short = int(snapshot.demand.short[demand])
        kind = (need.same, need.requirements, short)
        places = _Places(domains[need.same][groups], count[groups], is_idle[groups])
        kept = groups[places.fitting(short, each, twins[kind])]
        chosen[demand, kept] = True
        twins[kind] += 1
        hopeless[demand] = not len(kept)
    as_given = np.empty_like(allowed)
    as_given[order] = chosen.T
    return Selection(as_given, hopeless)


def _share(pairs: Ints, most: int) -> int:
    """Give how many each may have so that together they have about ``most``, some having fewer."""
    left, share = most, 0
    ascending = np.sort(pairs)
    for place, size in enumerate(ascending.tolist()):
        share = left // (len(ascending) - place)
        if size > share:
            break
        left, share = left - size, size
    return max(share, 1)


def _spread(size: int, most: int, start: int) -> Ints:
    """Give the first places of ``size``, and others at even distances, each start its own."""
    if size <= most:
        return np.arange(size, dtype=np.int64)
    first = most - most // 2
    rest = size - first
    even = (np.arange(most // 2, dtype=np.int64) * rest // max(most // 2, 1) + start) % rest
    return np.append(np.arange(first, dtype=np.int64), first + even)


def _ranked(snapshot: Snapshot) -> Ints:
    """Give the groups, ``(G,)``, in the order in which they are taken, cost per need aside."""
    supply = snapshot.supply
    of_need = np.array([*(need.priority for need in snapshot.fleet.needs), 0], dtype=np.int64)
    lost = np.where(supply.victim >= 0, of_need[supply.victim], 0)
    price = snapshot.fleet.numbers.price_per_hour[supply.machine_class]
    return np.lexsort((price, np.isnan(price), lost, supply.kind)).astype(np.int64)


def _domains(snapshot: Snapshot, key: str) -> Ints:
    """Number the (shard, domain) of each group, ``(G,)``; -1 outside all domains."""
    supply = snapshot.supply
    place = snapshot.matching.domains(key)[supply.cell].astype(np.int64)
    return np.where(place < 0, -1, place * len(snapshot.fleet.shards) + supply.shard)


@dataclass(frozen=True, eq=False, slots=True)
class _Places:
    """Groups that could serve one gang: domain, machines, and whether they are idle; one shape."""

    domain: Ints
    count: Ints
    is_idle: Mask

    def fitting(self, short: int, lanes: int, start: int) -> Ints:
        """Give the groups, about so many, of domains that could take the gang, best fit first.

        Domains that hold it without anything new or drained come before others; ``start`` of the
        best are left to gangs like it.
        """
        inside = np.flatnonzero(self.domain >= 0)
        _, number, size = np.unique(self.domain[inside], return_inverse=True, return_counts=True)
        machines = np.bincount(number, self.count[inside], len(size))
        idle = np.bincount(number, self.count[inside] * self.is_idle[inside], len(size))
        fits = idle >= short
        order = np.lexsort((np.where(fits, idle, machines), ~fits))
        order = np.roll(order[machines[order] >= short], -start)
        few = int(np.searchsorted(np.cumsum(size[order]), lanes, side="right"))
        picked = np.zeros(len(size), dtype=np.bool_)
        picked[order[: max(few, 1)]] = True
        return inside[picked[number]]
