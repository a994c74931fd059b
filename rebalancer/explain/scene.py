"""What an explanation starts from: one need, what it lacks, and the fleet as counted parcels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotpath.label_columns import LabelColumns
from hotpath.matching import Matching
from models.distinct import distinct
from models.fleet import Fleet, Ints, Mask
from models.need import Need
from models.plan import Move
from models.rules import Rule
from models.standing import Standing
from rebalancer.explain.parcels import Doing, Parcels, parcels_of
from rebalancer.explain.terms import Term, terms_of
from rebalancer.sites import sites_of
from rebalancer.transfer_rules import TransferRules

_GONE_ELSEWHERE = (Doing.ORDERED, Doing.BOUGHT, Doing.TAKEN, Doing.LEAVING, Doing.RESERVED)
"""What its own shard's cycle alone may decide on."""


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """One need at the end of a plan.

    Attributes
    ----------
    fleet
        Its classes, cells, needs and shards are read; its machines are not, ``parcels`` stand for
        them.
    row, shard
        The need, and the shard that serves it; -1 where none does.
    lacks
        Machines it lacks in the end; what drains for it is not lacking.
    short
        Shape of the needs. What each lacks when the cycles are done, for whom others keep machines.
    """

    fleet: Fleet
    parcels: Parcels
    row: int
    shard: int
    lacks: int
    short: Ints
    rules: TransferRules
    matching: Matching
    terms: tuple[Term, ...]

    @property
    def need(self) -> Need:
        """Give the need."""
        return self.fleet.needs[self.row]


def scene_of(standing: Standing, moves: Sequence[Move], need: int, rules: TransferRules) -> Scene:
    """Count a fleet at the end of a plan, and what the need lacks then."""
    lacks = lacks_at_end(standing, moves, need)
    parcels = parcels_of(standing, moves, rules.max_wait_seconds)
    return scene(standing.fleet, parcels, need, lacks, standing.short, rules)


def lacks_at_end(standing: Standing, moves: Sequence[Move], need: int) -> int:
    """Give what a need lacks at the end of a plan, what is taken from it included.

    0 where its cluster is silent or in shadow mode: nobody serves it.
    """
    fleet, cluster = standing.fleet, standing.fleet.need_cluster[need]
    if fleet.silent[cluster] or fleet.shadow[cluster] or fleet.shard_of_need(need) < 0:
        return 0
    gained = sum(len(move.machines) for move in moves if move.need == need)
    lost = sum(len(move.machines) for move in moves if move.victim == need)
    has = int(standing.have[need]) + int(standing.waiting[need]) + gained - lost
    return max(0, fleet.needs[need].count - has)


def scene(
    fleet: Fleet, parcels: Parcels, need: int, lacks: int, short: Ints, rules: TransferRules
) -> Scene:
    """Give the scene of counted parcels; see ``Scene`` for what the parts mean."""
    return Scene(
        fleet=fleet,
        parcels=parcels,
        row=need,
        shard=fleet.shard_of_need(need),
        lacks=lacks,
        short=short,
        rules=rules,
        matching=Matching(fleet, rules.bootstrap_keys),
        terms=terms_of(fleet.needs[need], rules.bootstrap_keys),
    )


def refused_cells(scene: Scene) -> dict[Term, Mask]:
    """Mark the cells, ``(C,)``, that each requirement and resource of the need refuses."""
    fleet, need = scene.fleet, scene.need
    columns: LabelColumns = scene.matching.labels
    refused: dict[Term, Mask] = {}
    for term in scene.terms:
        if term.rule is Rule.MATCHES:
            refused[term] = ~columns.meets(need.requirements[term.index])
        elif term.rule is Rule.FITS:
            refused[term] = ~fleet.cells_with(term.resource, need.resources[term.resource])
    return refused


def refused_parcels(scene: Scene) -> dict[Rule, Mask]:
    """Mark the parcels, ``(L,)``, that each rule about the fleet refuses the need."""
    parcels, need, needs = scene.parcels, scene.need, scene.fleet.needs
    doing, home = parcels.doing, parcels.shard == scene.shard
    of_need = np.array([*(row.priority for row in needs), -(2**62)], dtype=np.int64)
    later = np.array([*(comes_later(row, need) for row in needs), True], dtype=np.bool_)
    held_by = of_need[parcels.holder]
    lower, far = held_by < need.priority, held_by <= need.priority - scene.rules.min_gap
    steps_in = np.isin(doing, (Doing.ORDERED, Doing.BOUGHT, Doing.TAKEN))
    is_tier1 = need.priority >= scene.rules.tier1
    firm = np.isin(doing, (Doing.RUNS, Doing.MOVED, Doing.LEAVING, Doing.RESERVED))
    return {
        Rule.UNTOUCHED: (doing == Doing.STAYS) | ((doing == Doing.HOME) & ~home),
        Rule.PRIORITY: np.where(
            home | (doing == Doing.MOVED),
            (steps_in & ~later[parcels.holder]) | (firm & ~lower),
            (doing == Doing.RUNS) & ~far,
        ),
        Rule.AVAILABLE: (doing == Doing.BUSY)
        | (~home & np.isin(doing, _GONE_ELSEWHERE))
        | ((doing == Doing.SLOW) & is_tier1),
        Rule.PRICE_KNOWN: doing == Doing.UNPRICED,
        Rule.KEEPS_OWN: ~home & _kept(scene),
    }


def comes_later(other: Need, need: Need) -> bool:
    """Tell whether the other need's turn comes after this one's."""
    return (-other.priority, other.name) > (-need.priority, need.name)


def _kept(scene: Scene) -> Mask:
    """Mark the parcels, ``(L,)``, that a need as high of their own shard lacks and could use.

    A gang, and a need with a skew or a floor, cannot use what its own cycle has left.
    """
    fleet, parcels = scene.fleet, scene.parcels
    mask = np.zeros(len(parcels), dtype=np.bool_)
    rivals = [
        row
        for row in np.flatnonzero(scene.short > 0).tolist()
        if row != scene.row
        and fleet.needs[row].priority >= scene.need.priority
        and _takes_any(fleet.needs[row])
    ]
    if not rivals:
        return mask
    owners = shards_of_needs(fleet)
    by_levels: dict[tuple[str, ...], list[int]] = {}
    for row in rivals:
        if owners[row] not in (scene.shard, -1):
            by_levels.setdefault(_levels_named(fleet, fleet.needs[row]), []).append(row)
    # Most needs name no rack, so that these have few sites: whether 6,000 of them could use a
    # machine took 8 s cell by cell.
    for rows in by_levels.values():
        sites = sites_of(scene.matching, [fleet.needs[row] for row in rows])
        usable = np.zeros((len(fleet.shards), len(sites.serves)), dtype=np.bool_)
        for row, serves in zip(rows, sites.serves.T, strict=True):
            usable[owners[row]] |= serves
        mask |= usable[parcels.shard, sites.kind[parcels.cell]]
    return mask


def _takes_any(need: Need) -> bool:
    is_even = any(spread.is_hard for spread in need.spread)
    return not (need.is_gang or is_even or need.floor)


def _levels_named(fleet: Fleet, need: Need) -> tuple[str, ...]:
    keys = {requirement.key for requirement in need.requirements}
    return tuple(key for key in fleet.levels if key in keys)


def shards_of_needs(fleet: Fleet) -> Ints:
    """Give the shard that owns the cluster of each need, ``(N,)``; -1 where none does."""
    owner = np.full(len(fleet.clusters) + 1, -1, dtype=np.int64)
    for row, shard in enumerate(fleet.shards):
        owner[list(shard.clusters)] = row
    of_need: Ints = owner[fleet.need_cluster]
    return of_need


def refusals(scene: Scene, cells: Mapping[Term, Mask]) -> tuple[NDArray[np.bool_], Ints]:
    """Give which terms refuse which parcels: distinct rows ``(P, T)``, and the row of each parcel.

    The terms that look at several machines at once (domain, skew, floor) refuse none by itself.
    """
    parcels = refused_parcels(scene)
    kind, _ = _numbered([*cells.values()], len(scene.fleet.cells))
    columns = [kind[scene.parcels.cell], *parcels.values()]
    pattern, example = _numbered(columns, len(scene.parcels))
    table = np.zeros((len(example), len(scene.terms)), dtype=np.bool_)
    for place, term in enumerate(scene.terms):
        if term in cells:
            table[:, place] = cells[term][scene.parcels.cell[example]]
        elif term.rule in parcels:
            table[:, place] = parcels[term.rule][example]
    return table, pattern


def _numbered(columns: list[NDArray[np.generic]], rows: int) -> tuple[Ints, Ints]:
    """Number rows that agree in every column; give the number of each and a first of each."""
    if not columns:
        return np.zeros(rows, dtype=np.int64), np.zeros(min(rows, 1), dtype=np.int64)
    number, first = distinct(np.column_stack(columns).astype(np.int32))
    return number.astype(np.int64), first
