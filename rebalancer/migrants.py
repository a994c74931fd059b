"""Running gangs that may move within their shard, so that one that is short gets their place."""

from collections.abc import Iterator

import numpy as np

from hotpath.matching import Matching
from models.fleet import Ints, Mask
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
    needs, shard = standing.fleet.needs, standing.fleet.machines.shard
    found = [
        row
        for row, held in (_whole(standing, movable) if takers else ())
        if any(
            home == shard[held[0]]
            and priority >= needs[row].priority
            and lacks >= len(held)
            and place[held[0]] >= 0
            and (place[held] == place[held[0]]).all()
            for home, priority, lacks, place in takers
        )
    ]
    found.sort(key=lambda row: (needs[row].interruption_penalty, needs[row].count, row))
    return np.array(sorted(found[:MOST]), dtype=np.int64)


Taker = tuple[int, int, int, Ints]
"""Shard, priority, machines that it lacks, and where each machine stands for it, -1 nowhere."""


def _takers(standing: Standing, matching: Matching, short: Ints) -> Iterator[Taker]:
    fleet = standing.fleet
    for row in short.tolist():
        need = fleet.needs[row]
        if need.same is not None:
            place = np.where(matching.eligible(need), matching.domains(need.same), -1)
            shard = fleet.shard_of_need(row)
            yield shard, need.priority, int(standing.short[row]), place[fleet.machines.cell]


def _whole(standing: Standing, movable: Mask) -> Iterator[tuple[int, Ints]]:
    """Give the gangs that run whole on machines that may move, and the rows of these."""
    fleet, serves = standing.fleet, standing.serves
    held = np.bincount(serves[serves >= 0], minlength=len(fleet.needs))
    ready = standing.victim & movable & (serves >= 0)
    free_to_go = np.bincount(serves[ready], minlength=len(fleet.needs))
    for row in np.flatnonzero((held > 0) & (held == free_to_go)).tolist():
        need = fleet.needs[row]
        settled = held[row] == standing.have[row] == need.count and not standing.short[row]
        if need.is_gang and settled:
            rows = np.flatnonzero(serves == row)
            if (fleet.machines.shard[rows] == fleet.shard_of_need(row)).all():
                yield row, rows
