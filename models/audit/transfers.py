"""A plan's moves as columns, one entry a machine moved."""

from dataclasses import dataclass

import numpy as np

from models.audit.suits import Suits
from models.fleet import Codes, Fleet, Ints, Mask
from models.plan import DRAINS, MoveKind, Plan
from models.settings import Settings
from models.standing import Standing


@dataclass(frozen=True, eq=False, slots=True)
class Transfers:
    """Columns beside the machines that move (``X``) and the needs (``N``).

    Attributes
    ----------
    row, move, need, victim, source, target, window
        Shape ``(X,)``. Machine, place in ``plan.moves``, and what its move says.
    drains
        Shape ``(X,)``. Ends what runs on the machine.
    gains
        Shape ``(X,)``. Adds a machine to the need; a replacement only changes which.
    given_up
        Shape ``(X,)``. Drained by the need itself, which has a replacement.
    gained, lost
        Shape ``(N,)``. Machines each need gets, and loses as a victim; one that moves does neither.
    moves
        Shape ``(N,)``. The need is moved to make room: replacements are named for it, and it gives
        up none of its machines for itself.
    climbs
        Shape ``(N,)``. The need gives up machines for itself.
    lacking
        Shape ``(N,)``. What each need is short of after the plan, its own losses not counted.
    priority
        Shape ``(N,)``.
    """

    standing: Standing
    plan: Plan
    settings: Settings
    suits: Suits
    row: Codes
    move: Codes
    need: Codes
    victim: Codes
    source: Codes
    target: Codes
    window: Codes
    drains: Mask
    gains: Mask
    given_up: Mask
    gained: Ints
    lost: Ints
    moves: Mask
    climbs: Mask
    lacking: Ints
    priority: Ints

    @property
    def fleet(self) -> Fleet:
        """Give the fleet the plan is for."""
        return self.standing.fleet

    def machines(self, entries: Mask | Ints) -> Mask:
        """Tell for each machine of the fleet whether it is among the entries; shape ``(M,)``."""
        mask = np.zeros(len(self.fleet.machines), dtype=np.bool_)
        mask[self.row[entries]] = True
        return mask


def transfers_of(standing: Standing, plan: Plan, settings: Settings) -> Transfers:
    """Give the moves as columns; rows, needs and shards must be in range."""
    fleet, moves = standing.fleet, plan.moves
    sizes = [len(move.machines) for move in moves]

    def column(values: list[int]) -> Codes:
        return np.repeat(np.array(values, dtype=np.int32), sizes)

    row = np.array([row for move in moves for row in move.machines], dtype=np.int32)
    need = column([move.need for move in moves])
    victim = column([move.victim for move in moves])
    kind_gains = np.array([move.kind is not MoveKind.REPLACE for move in moves], dtype=np.bool_)
    given_up = (victim == need) & (victim >= 0)
    gains = np.repeat(kind_gains, sizes) & ~given_up
    kind_drains = np.array([move.kind in DRAINS for move in moves], dtype=np.bool_)
    gained = np.bincount(need[gains], minlength=len(fleet.needs))
    lost = np.bincount(victim[(victim >= 0) & ~given_up], minlength=len(fleet.needs))
    moved, climbs = np.zeros((2, len(fleet.needs)), dtype=np.bool_)
    climbs[need[given_up]] = True
    moved[need[~gains]] = True
    moved &= ~climbs
    return Transfers(
        standing=standing,
        plan=plan,
        settings=settings,
        suits=Suits(fleet, settings),
        row=row,
        move=column(list(range(len(moves)))),
        need=need,
        victim=victim,
        source=column([move.source for move in moves]),
        target=column([move.target for move in moves]),
        window=column([move.window for move in moves]),
        drains=np.repeat(kind_drains, sizes),
        gains=gains,
        given_up=given_up,
        gained=gained,
        lost=np.where(moved, 0, lost),
        moves=moved,
        climbs=climbs,
        lacking=np.maximum(standing.short - gained, 0),
        priority=np.array([row.priority for row in fleet.needs], dtype=np.int64),
    )
