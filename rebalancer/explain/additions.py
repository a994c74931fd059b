"""Which machines to add where some are missing: those of a class that the fleet knows.

Machines of a class go first to those needs of the shard that come before and lack some of that
class, so as many more are to be added. Where no class suits, the machines are made to the need's
measure.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from math import inf, isnan

import numpy as np

from models.fleet import Codes, Ints, Mask, Reals
from models.need import Need
from models.rules import Rule
from rebalancer.explain.change import Add
from rebalancer.explain.counting import Counting, Gap
from rebalancer.explain.machines_to_add import like_cell, made_to_measure, suits_row
from rebalancer.explain.parcels import Doing
from rebalancer.explain.scene import Scene, comes_later, shards_of_needs
from rebalancer.explain.terms import Term

OTHER_SHARDS = 3
"""So many shards beside its own are looked at: a machine lent is taken by nobody at home."""

MANY = 10**9
"""What a need lacks counts as this at most where it is added up.

A need may ask for up to 2**63 - 1; a billion of these still add up in 64 bits, and no fleet has as
many machines.
"""

GIVEN = (Doing.ORDERED, Doing.BOUGHT, Doing.TAKEN)
"""What a cycle gave to a need: it would rather have had another, if there had been one."""


@dataclass(frozen=True, slots=True)
class Addition:
    """Machines to add, in as few parts as it takes; sorts by count, then by price."""

    parts: tuple[Add, ...]

    @property
    def count(self) -> int:
        """Give how many."""
        return sum(part.row.count for part in self.parts)

    @property
    def price(self) -> float:
        """Give what they cost an hour; infinite where a price is unknown."""
        price = sum(part.price_per_hour for part in self.parts)
        return inf if isnan(price) else price


def additions(counting: Counting, kept: Collection[Term], gap: Gap) -> list[Addition]:
    """Give the ways to add what is missing, one for each class, those with fewest first.

    A need with a spread gets machines at several values, see ``_at_values``.
    """
    scene = counting.scene
    cells = _suitable(counting, kept, gap)
    if gap.values:
        return _at_values(counting, kept, cells, gap)
    best: dict[int, Add] = {}
    for shard in _shards(counting, gap):
        sites = _sites(counting, kept, cells, shard)
        for at in sites.first_of(scene.fleet.cells.class_index):
            kind = int(scene.fleet.cells.class_index[sites.rows[at]])
            count = gap.missing + int(sites.ahead[at])
            if kind not in best or count < best[kind].row.count:
                best[kind] = like_cell(scene, int(sites.rows[at]), shard, count)
        if any(part.row.count == gap.missing for part in best.values()):
            break
    parts = [*best.values()] or [_measured(counting, kept, gap)]
    return sorted((Addition((part,)) for part in parts), key=lambda each: (each.count, each.price))


def _suitable(counting: Counting, kept: Collection[Term], gap: Gap) -> Mask:
    """Mark the cells, ``(C,)``, of which a machine would suit the need and fill the gap."""
    scene = counting.scene
    mask = np.ones(len(scene.fleet.cells), dtype=np.bool_)
    for term, refused in counting.refused_cells.items():
        if term in kept:
            mask &= ~refused
    if any(term.rule is Rule.DOMAIN for term in kept):
        domains = scene.matching.domains(scene.need.same or "")
        mask &= domains == gap.domain if gap.domain >= 0 else domains >= 0
    if gap.only_safe:
        p = scene.fleet.numbers.interruption_probability[scene.fleet.cells.class_index]
        mask &= p <= 0
    return mask


@dataclass(frozen=True, eq=False, slots=True)
class _Sites:
    """Cells to add to in one shard, the best first: ``rows`` of the fleet, and what comes ahead."""

    rows: Ints
    ahead: Ints

    def first_of(self, codes: Codes) -> list[int]:
        """Give the place of the first of each code, shape of the fleet's cells."""
        return sorted(np.unique(codes[self.rows], return_index=True)[1].tolist())


def _sites(counting: Counting, kept: Collection[Term], cells: Mask, shard: int) -> _Sites:
    """Sort cells: fewest machines first, then the cheapest, then those the shard has."""
    scene, rows = counting.scene, np.flatnonzero(cells)
    ahead = np.zeros(len(rows), dtype=np.int64)
    for _, takes in _taken_ahead(counting, kept, shard, rows):
        ahead += takes
    at_home = np.zeros(len(cells), dtype=np.bool_)
    at_home[scene.parcels.cell[scene.parcels.shard == shard]] = True
    price = np.nan_to_num(_prices(scene, rows), nan=inf)
    order = np.lexsort((rows, ~at_home[rows], price, ahead))
    return _Sites(rows[order], ahead[order])


def _prices(scene: Scene, rows: Ints) -> Reals:
    prices: Reals = scene.fleet.numbers.price_per_hour[scene.fleet.cells.class_index[rows]]
    return prices


def _at_values(counting: Counting, kept: Collection[Term], cells: Mask, gap: Gap) -> list[Addition]:
    """Give two ways: at each value of the spread the class that takes the fewest, or the cheapest.

    The needs that come before take once, wherever they like it best.
    """
    scene = counting.scene
    codes = scene.matching.values(scene.need.spread[gap.spread].key)
    wanted = dict(gap.values)
    fewest = _sites(counting, kept, cells & np.isin(codes, [*wanted]), gap.shard)
    price = np.nan_to_num(_prices(scene, fewest.rows), nan=inf)
    cheapest = np.argsort(price, kind="stable")
    ways: dict[tuple[int, ...], Addition] = {}
    for sites in (fewest, _Sites(fewest.rows[cheapest], fewest.ahead[cheapest])):
        rows = sites.rows[sites.first_of(codes)]
        if len(rows) == len(wanted):
            more = _shared_ahead(counting, kept, gap.shard, rows).tolist()
            ways[tuple(sorted(rows.tolist()))] = Addition(
                tuple(
                    like_cell(scene, row, gap.shard, wanted[int(codes[row])] + ahead)
                    for row, ahead in zip(rows.tolist(), more, strict=True)
                )
            )
    return sorted(ways.values(), key=lambda each: (each.count, each.price))


def _shared_ahead(counting: Counting, kept: Collection[Term], shard: int, rows: Ints) -> Ints:
    """Give how many machines needs that come before take of each part of one addition.

    Each takes all from the part that it likes best: the least cost, then the class, then the name.
    """
    scene, more = counting.scene, np.zeros(len(rows), dtype=np.int64)
    class_of = scene.fleet.cells.class_index[rows]
    for need, takes in _taken_ahead(counting, kept, shard, rows):
        may = np.flatnonzero(takes)
        if len(may):
            cost = scene.matching.costs(need)[class_of[may]]
            best = may[np.lexsort((class_of[may], cost))[0]]
            more[best] += takes[best]
    return more


def _taken_ahead(
    counting: Counting, kept: Collection[Term], shard: int, rows: Ints
) -> Iterator[tuple[Need, Ints]]:
    """Give how many machines of each cell of ``rows`` would go to each need that comes before.

    They are what such a need lacks, and what it was given in this cycle that it likes less: dearer
    machines, slots, and what is drained for it.
    """
    scene, parcels = counting.scene, counting.scene.parcels
    fleet = scene.fleet
    class_of = fleet.cells.class_index[rows]
    ahead = before(scene, shard)
    is_given = np.isin(parcels.doing, GIVEN) & (parcels.holder >= 0) & ~counting.own
    here = np.flatnonzero((parcels.shard == shard) & is_given)
    given = here[~_comes_in_turn(counting, kept, ahead, here)]
    for row in ahead:
        need = fleet.needs[row]
        takes = np.full(len(rows), min(int(scene.short[row]), MANY), dtype=np.int64)
        costs = scene.matching.costs(need)
        for parcel in given[parcels.holder[given] == row].tolist():
            is_ordered = parcels.doing[parcel] == Doing.ORDERED
            given_class = fleet.cells.class_index[parcels.cell[parcel]]
            dearer = costs[given_class] > costs[class_of]
            # A cycle takes the first class of those that cost the same.
            dearer |= (costs[given_class] == costs[class_of]) & (given_class > class_of)
            takes += int(parcels.count[parcel]) * (~is_ordered | dearer)
        yield need, takes * scene.matching.eligible(need)[rows]


def _comes_in_turn(
    counting: Counting, kept: Collection[Term], ahead: list[int], given: Ints
) -> Mask:
    """Mark what comes to this need once the one to which it was given likes another better.

    That is what suits it, if no other that lacks some takes it first. Over a spread it may come at
    a value at which it is of no use, so there none of it counts.
    """
    scene = counting.scene
    if any(term.rule is Rule.SPREAD for term in kept):
        return np.zeros(len(given), dtype=np.bool_)
    asked = [term for term in kept if term.rule in (Rule.MATCHES, Rule.FITS)]
    comes = counting.only(given).suits(asked)
    cell, holder = scene.parcels.cell[given], scene.parcels.holder[given]
    for row in ahead:
        if len(given) and scene.short[row]:
            comes &= (holder == row) | ~scene.matching.eligible(scene.fleet.needs[row])[cell]
    return comes


def before(scene: Scene, shard: int) -> list[int]:
    """Give the needs of a shard that come before this one: there, or in any other shard all."""
    need = scene.need
    found = []
    for row in np.flatnonzero(shards_of_needs(scene.fleet) == shard).tolist():
        other = scene.fleet.needs[row]
        if row != scene.row and (comes_later(need, other) or shard != scene.shard):
            found.append(row)
    return found


def _shards(counting: Counting, gap: Gap) -> list[int]:
    """Give the shards to add to: that of the gap, and those where the least is short."""
    scene = counting.scene
    short = np.zeros(len(scene.fleet.shards))
    np.add.at(short, shards_of_needs(scene.fleet), np.minimum(scene.short, MANY))
    others = np.argsort(short, kind="stable").tolist()
    if gap.domain >= 0 or gap.values:
        return [gap.shard]
    return [gap.shard, *[shard for shard in others if shard != gap.shard][:OTHER_SHARDS]]


def _measured(counting: Counting, kept: Collection[Term], gap: Gap) -> Add:
    """Give machines made to measure, as many more as go to needs that come before."""
    scene, parcels = counting.scene, counting.scene.parcels
    part, more = made_to_measure(scene, [*kept], gap.shard, gap.missing), 0
    for row in before(scene, gap.shard):
        if suits_row(scene.fleet.needs[row], part.row, scene.rules.bootstrap_keys):
            bought = (parcels.holder == row) & (parcels.doing == Doing.BOUGHT)
            more += min(int(scene.short[row]), MANY) + int(parcels.count[bought].sum())
    return replace(part, row=replace(part.row, count=gap.missing + more))
