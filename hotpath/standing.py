"""Where the cycles leave a fleet: what the rebalancer starts from."""

from collections.abc import Sequence

import numpy as np

from hotpath.answer import Decided
from hotpath.plain.release import forecast as expected_soon
from models.fleet import Fleet, Ints
from models.machine import NOBODY
from models.standing import Standing


def standing_of(fleet: Fleet, decided: Sequence[Decided]) -> Standing:
    """Put the books of all shards together. Machines and needs of other shards stay untouched."""
    machines, needs = len(fleet.machines), len(fleet.needs)
    serves = np.full(machines, NOBODY, dtype=np.int32)
    free, excess, victim = (np.zeros(machines, dtype=np.bool_) for _ in range(3))
    have, waiting, short = (np.zeros(needs, dtype=np.int64) for _ in range(3))
    forecast = np.zeros((len(fleet.shards), len(fleet.classes)), dtype=np.int64)
    for each in decided:
        ledger = each.ledger
        forecast[ledger.inventory.shard] = _expected(each)
        rows = ledger.inventory.rows
        # What has a notice counts no more: its replacement is not measured against it.
        stays = np.isnan(ledger.inventory.machines.reclaim_at)
        serves[rows] = np.where(stays, ledger.serves, NOBODY)
        free[rows] = (ledger.idle | ledger.speculative) & (ledger.serves == NOBODY)
        movable = ledger.movable()
        excess[rows] = ledger.excess & movable
        victim[rows] = ledger.held & (ledger.serves >= 0) & movable
        mine = ledger.inventory.needs
        # A silent cluster's machines are kept beyond the last count too; no level counts them.
        wanted = np.array([fleet.needs[need].count for need in mine], dtype=np.int64)
        have[mine] = np.minimum(ledger.have[mine], wanted) - ledger.lost[mine]
        waiting[mine] = ledger.waiting[mine]
        for need in mine.tolist():
            cluster = fleet.need_cluster[need]
            if ledger.inventory.mine[cluster] and not ledger.inventory.shadow[cluster]:
                short[need] = ledger.missing(need)
    return Standing(
        fleet=fleet,
        serves=serves,
        free=free & ~fleet.machines.pinned,
        excess=excess,
        victim=victim,
        have=have,
        waiting=waiting,
        short=short,
        forecast=forecast,
        shortfalls=tuple(short for each in decided for short in each.shortfalls),
    )


def _expected(decided: Decided) -> Ints:
    """Give the whole machines of each class, ``(K,)``, that release holds idle ones for."""
    fleet, memory = decided.ledger.inventory.fleet, decided.memory
    expected = np.zeros(len(fleet.classes), dtype=np.int64)
    if memory.rates:
        release, now = decided.ledger.settings.release, decided.ledger.now
        for k in range(len(fleet.classes)):
            expected[k] = int(expected_soon(memory, fleet.class_key(k), release, now))
    return expected
