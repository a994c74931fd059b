"""The gangs of a snapshot and the idle machines that could take them, as racks to be packed."""

from dataclasses import dataclass, replace

import numpy as np

from models.distinct import alike, distinct_rows, sums
from models.fleet import Ints, Mask
from rebalancer.problems.packing.columns import RACK, SPINE, Gangs, Racks
from rebalancer.problems.packing.hall import Hall
from rebalancer.snapshot import Snapshot, SupplyKind
from rebalancer.wide.question import Shared


@dataclass(frozen=True, eq=False, slots=True)
class Packed:
    """The question; the group of each row of ``shared``; the demand of each gang."""

    question: Hall
    shared: Shared
    group: Ints
    demand: Ints


def packed(snapshot: Snapshot, allowed: Mask, hopeless: Mask, offer_of_group: Ints) -> Packed:
    """Draw up the gangs of the two finest levels that gangs name; others are left to the greedy.

    So is a gang that has machines already, for it is bound to their domain, and one of the
    ``hopeless``, ``(N,)``, which no domain could take.
    """
    needs, demand = snapshot.fleet.needs, snapshot.demand
    keys = [needs[row].same for row in demand.need.tolist()]
    finest = _finest(snapshot, {key for key in keys if key is not None})
    holds = np.isin(demand.need, snapshot.standing.serves)
    gangs = [
        row
        for row, key in enumerate(keys)
        if key in finest and not holds[row] and not hopeless[row]
    ]
    rows = np.array(gangs, dtype=np.int64)
    racks, shared, group = _racks(snapshot, allowed[:, rows], finest, offer_of_group)
    types, type_of_rack = _types(allowed[:, rows], racks, shared, group)
    profiles = [tuple(column) for column in types.T.tolist()]
    names = {profile: number for number, profile in enumerate(dict.fromkeys(profiles))}
    level = [RACK if keys[row] == finest[0] else SPINE for row in gangs]
    question = Hall(
        replace(racks, type=type_of_rack),
        Gangs(
            demand.short[rows],
            demand.priority[rows],
            np.array([names[profile] for profile in profiles], dtype=np.int64),
            np.array(level, dtype=np.int64),
        ),
        np.array(list(names), dtype=np.bool_).reshape(len(names), types.shape[0]),
    )
    return Packed(question, shared, group, rows)


def _finest(snapshot: Snapshot, keys: set[str]) -> list[str]:
    """Give the two lowest levels of the topology among the keys, the lowest first; or one key."""
    topology = snapshot.fleet.topology
    inside = sorted((key for key in keys if key in topology), key=topology.index, reverse=True)
    return inside[:2] or sorted(keys)[:1]


def _racks(
    snapshot: Snapshot, allowed: Mask, finest: list[str], offer_of_group: Ints
) -> tuple[Racks, Shared, Ints]:
    """Put the idle groups of one shard and domain that may serve the same gangs into one rack."""
    supply = snapshot.supply
    nothing = np.full(len(supply), -1, dtype=np.int64)
    places = [snapshot.matching.domains(key)[supply.cell].astype(np.int64) for key in finest]
    domain, spine = (*places, nothing, nothing)[:2]
    is_free = (supply.kind == SupplyKind.IDLE) & allowed.any(axis=1)
    group = np.flatnonzero(is_free & (domain >= 0))
    _, whom = distinct_rows(np.packbits(allowed[group], axis=1))
    by_rack = [supply.shard[group], spine[group], domain[group], whom]
    rack = np.zeros(len(group), dtype=np.int64)
    for number, rows in enumerate(alike(by_rack, len(group))):
        rack[rows] = number
    order = np.argsort(rack, kind="stable")
    group, rack = group[order], rack[order]
    first = np.searchsorted(rack, np.arange(rack.max(initial=-1) + 1))
    free = sums(rack, supply.count[group], len(first))
    racks = Racks(
        type=np.arange(len(first), dtype=np.int64),
        domain=_numbered(supply.shard[group[first]], domain[group[first]]),
        spine=_numbered(supply.shard[group[first]], spine[group[first]]),
        free=free,
    )
    return racks, Shared(rack, offer_of_group[group], supply.count[group]), group


def _types(allowed: Mask, racks: Racks, shared: Shared, group: Ints) -> tuple[Mask, Ints]:
    """Give which gangs each type of rack may take, ``(types, gangs)``, and the type of each."""
    first = np.searchsorted(shared.rack, np.arange(len(racks)))
    whom = allowed[group[first]]
    one, number = distinct_rows(np.packbits(whom, axis=1))
    return whom[one], number


def _numbered(shard: Ints, place: Ints) -> Ints:
    """Number the pairs from 0."""
    if not len(shard):
        return np.empty(0, dtype=np.int64)
    pairs = np.column_stack([shard, place])
    number = np.unique(pairs, axis=0, return_inverse=True)[1]
    return number.reshape(-1).astype(np.int64)
