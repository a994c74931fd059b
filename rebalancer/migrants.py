"""Running gangs that may move within their shard, so that one that is short gets their place."""

from collections.abc import Iterator

import numpy as np

from hotpath.matching import Matching
from models.distinct import alike
from models.fleet import Codes, Ints, Mask
from models.problem import Problem
from models.standing import Standing
from rebalancer.transfer_rules import TransferRules

MOST = 200
"""Of more the cheapest to interrupt are looked at: each may take a lane from every free group."""


def migrants_of(
    standing: Standing, matching: Matching, rules: TransferRules, movable: Mask, short: Ints
) -> Ints:
    """Give the rows of the needs, ascending; ``short`` are those of the needs that lack machines.

    A gang that lacks nothing and whose machines, all in its own shard and ``movable``, ``(M,)``,
    have a taker: a gang of that shard, of equal or higher priority, that lacks as many at least and
    could have all of them in one domain. It moves whole, and all it leaves is taken: a gang that
    wants less could go where it would go, unless labels tell the two apart.
    """
    if not rules.migrate or Problem.PACKING not in rules.problems:
        return np.empty(0, dtype=np.int64)
    takers = list(_takers(standing, matching, short))
    needs, machines = standing.fleet.needs, standing.fleet.machines
    found = [
        row
        for row, held in (_whole(standing, movable) if takers else ())
        if any(
            home == machines.shard[held[0]]
            and priority >= needs[row].priority
            and lacks >= len(held)
            and _is_one(place[machines.cell[held]])
            for home, priority, lacks, place in takers
        )
    ]
    found.sort(key=lambda row: (needs[row].interruption_penalty, needs[row].count, row))
    return np.array(sorted(found[:MOST]), dtype=np.int64)


Taker = tuple[int, int, int, Codes]
"""Shard, priority, machines that it lacks, and each cell's domain for it, -1 none, ``(C,)``."""


def _takers(standing: Standing, matching: Matching, short: Ints) -> Iterator[Taker]:
    fleet = standing.fleet
    for row in short.tolist():
        need = fleet.needs[row]
        if need.same is not None:
            place = np.where(matching.eligible(need), matching.domains(need.same), -1)
            lacks = int(standing.short[row])
            yield fleet.shard_of_need(row), need.priority, lacks, place.astype(np.int32)


def _whole(standing: Standing, movable: Mask) -> Iterator[tuple[int, Ints]]:
    """Give the gangs that run whole on machines that may move, and the rows of these."""
    fleet, serves = standing.fleet, standing.serves
    serving, free_to_go = np.flatnonzero(serves >= 0), standing.victim & movable
    for group in alike([serves[serving]], len(serving)):
        held = serving[group]
        row = int(serves[held[0]])
        need = fleet.needs[row]
        is_settled = len(held) == standing.have[row] == need.count and not standing.short[row]
        may_move = bool(free_to_go[held].all())
        at_home = bool((fleet.machines.shard[held] == fleet.shard_of_need(row)).all())
        if need.is_gang and is_settled and may_move and at_home:
            yield row, held


def _is_one(domains: Codes) -> bool:
    """Tell whether all is in one domain."""
    return bool(domains[0] >= 0 and (domains == domains[0]).all())
