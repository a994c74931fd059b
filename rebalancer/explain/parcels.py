"""Machines that an explanation counts and does not name: parcels of them, and what each is doing.

A fleet of 100 million machines is a few hundred thousand parcels. They say how things stand at the
end of a plan: of the cycles, and of the rebalancer after them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from models.distinct import alike
from models.fleet import Codes, Ints, Mask, Reals, freeze
from models.machine import NOBODY, State
from models.plan import Move
from models.standing import Standing
from rebalancer.reclamation import reclamation_usd


class Doing(IntEnum):
    """What a machine does; ``holder`` of its parcel says for whom."""

    IDLE = 0
    """Free, with a host."""
    NEW = 1
    """Free, without a host: a slot that may be bought."""
    SLOW = 2
    """The same, but a tier-1 need would wait too long for it."""
    UNPRICED = 3
    """A slot that is never bought, for nobody knows its price."""
    HOME = 4
    """Free but pinned: it may be configured, and stays in its shard."""
    EXCESS = 5
    """Configured and serving nobody."""
    RUNS = 6
    """Configured and serving its holder; may be drained."""
    STAYS = 7
    """Configured, and pinned or of a cluster that is silent or in shadow mode."""
    ORDERED = 8
    """It was idle, and a cycle gave it to its holder."""
    RESERVED = 9
    """Idle, and kept for its holder since before the cycle."""
    TAKEN = 10
    """It was in use, and a cycle drains it for its holder."""
    MOVED = 11
    """The rebalancer moves it to its holder."""
    LEAVING = 12
    """It drains since before the cycle, for its holder or for nobody."""
    BOUGHT = 13
    """It was a slot, and a cycle buys it for its holder."""
    BUSY = 14
    """In transition, failed, or under notice."""


@dataclass(frozen=True, eq=False, slots=True)
class Parcels:
    """Machines alike in cell, shard, doing and holder; ``L`` parcels.

    ``cell`` and ``shard`` are rows of the fleet, ``doing`` codes of ``Doing``; ``holder`` is a row
    of the needs or NOBODY; ``count`` is how many; ``loss_usd`` is what is lost with one that is
    taken from whom it serves, see ``reclamation``, at the mean. All of shape ``(L,)``.
    """

    cell: Ints
    shard: Ints
    doing: Ints
    holder: Ints
    count: Ints
    loss_usd: Reals

    def __post_init__(self) -> None:
        for name in self.__slots__:
            freeze(name, getattr(self, name), (len(self.count),))

    def __len__(self) -> int:
        return len(self.count)


def parcels_of(standing: Standing, moves: Sequence[Move], max_wait_seconds: float) -> Parcels:
    """Count the machines of a fleet as they stand at the end of a plan."""
    machines = standing.fleet.machines
    doing = _doing(standing, max_wait_seconds)
    holder = np.maximum(standing.serves, NOBODY).astype(np.int64)
    for move in moves:
        rows = list(move.machines)
        doing[rows] = Doing.MOVED
        holder[rows] = move.need
    columns: list[Codes | Ints] = [machines.cell, machines.shard, doing, holder]
    groups = alike([*columns], len(machines))
    first = np.array([group[0] for group in groups], dtype=np.int64)
    cell, shard, kind, need = (column[first].astype(np.int64) for column in columns)
    count = np.array([len(group) for group in groups], dtype=np.int64)
    # A parcel for each penalty would be many: they may differ from machine to machine.
    loss = reclamation_usd(standing, np.arange(len(machines)))
    mean = np.array([loss[group].mean() for group in groups], dtype=np.float64)
    return Parcels(cell, shard, kind, need, count, mean)


def _doing(standing: Standing, max_wait_seconds: float) -> Ints:
    """Give what each machine does when the cycles are done, ``(M,)``."""
    machines, numbers = standing.fleet.machines, standing.fleet.numbers
    state, serves = machines.state, standing.serves
    idle, new = state == State.IDLE, state == State.SPECULATIVE
    runs, free = state == State.CONFIGURED, (idle | new) & (serves < 0)
    unpriced = np.isnan(numbers.price_per_hour)[machines.class_index]
    slow = machines.ready_seconds > max_wait_seconds
    doing = np.full(len(machines), Doing.BUSY, dtype=np.int64)
    for kind, mask in (
        (Doing.ORDERED, idle & (serves >= 0)),
        (Doing.BOUGHT, new & (serves >= 0)),
        (Doing.RESERVED, idle & (machines.serves >= 0) & (machines.serves == serves)),
        (Doing.HOME, free & machines.pinned),
        (Doing.IDLE, standing.free & idle),
        (Doing.NEW, standing.free & new),
        (Doing.SLOW, standing.free & new & slow),
        (Doing.UNPRICED, free & new & unpriced),
        (Doing.STAYS, runs),
        (Doing.TAKEN, runs & (serves >= 0) & _is_drained(standing)),
        (Doing.RUNS, runs & standing.victim),
        (Doing.EXCESS, runs & standing.excess),
        (Doing.LEAVING, state == State.DRAINING),
        (Doing.BUSY, ~np.isnan(machines.reclaim_at)),
    ):
        doing[mask] = kind
    return doing


def _is_drained(standing: Standing) -> Mask:
    """Mark what may be drained and is no victim any more: a cycle has ordered its drain."""
    fleet = standing.fleet
    left_alone = np.append(fleet.silent | fleet.shadow, False)
    may = ~fleet.machines.pinned & ~left_alone[fleet.machines.cluster]
    mask: Mask = may & ~standing.victim & ~standing.excess
    return mask
