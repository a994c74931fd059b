"""Plans written as text, and twins of them that break one rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from builders import fleet, machine, need_row, row_of

from models.audit import Law, audit_plan
from models.fleet import Fleet
from models.machine import State
from models.outcome import Outcome
from models.plan import DRAINS, Displaced, Level, Move, MoveKind, Plan, Unmet
from models.rules import Rule
from models.settings import Settings
from models.shortfall import Reason, Shortfall
from models.standing import Standing

IDLE, SPECULATIVE, CONFIGURED = State.IDLE, State.SPECULATIVE, State.CONFIGURED


def standing_of(world: Fleet) -> Standing:
    """Give a fleet as it stands when the file says what each machine serves."""
    machines, count = world.machines, len(world.needs)
    serves = np.array(machines.serves)
    served = serves >= 0
    draining = machines.state == State.DRAINING
    configured = machines.state == CONFIGURED
    untied = np.isin(machines.state, [IDLE, SPECULATIVE]) & ~served
    have = np.bincount(serves[served & ~draining], minlength=count)
    waiting = np.bincount(serves[served & draining], minlength=count)
    asked = np.array([need.count for need in world.needs], dtype=np.int64)
    inactive = (world.silent | world.shadow)[world.need_cluster]
    short = np.where(inactive, 0, np.maximum(asked - have - waiting, 0)).astype(np.int64)
    return Standing(
        fleet=world,
        serves=serves,
        free=untied & np.isnan(machines.reclaim_at),
        excess=configured & ~served,
        victim=configured & served,
        have=have,
        waiting=waiting,
        short=short,
        forecast=np.zeros((len(world.shards), len(world.classes)), dtype=np.int64),
        shortfalls=tuple(
            Shortfall(row, int(short[row]), Reason.CAPACITY_EXHAUSTED)
            for row in np.flatnonzero(short)
        ),
    )


def plan_of(standing: Standing, moves: tuple[Move, ...]) -> Plan:
    """Give a plan with these moves whose numbers add up, counted one by one."""
    world = standing.fleet
    gains: Counter[int] = Counter()
    losses: Counter[int] = Counter()
    moved = {move.need for move in moves if move.kind is MoveKind.REPLACE}
    moved -= {move.need for move in moves if move.victim == move.need}
    for move in moves:
        if move.kind is not MoveKind.REPLACE and move.victim != move.need:
            gains[move.need] += len(move.machines)
            losses[-1 if move.victim in moved else move.victim] += len(move.machines)
    levels = []
    for priority in sorted({row.priority for row in world.needs}, reverse=True):
        rows = [n for n, row in enumerate(world.needs) if row.priority == priority]
        asked = sum(world.needs[n].count for n in rows)
        served = sum(
            int(standing.have[n] + standing.waiting[n]) + gains[n] - losses[n] for n in rows
        )
        levels.append(Level(priority, asked, served, max(asked, served)))
    left = {n: max(int(standing.short[n]) - gains[n], 0) for n in range(len(world.needs))}
    return Plan(
        snapshot="",
        settings="",
        seed=0,
        outcome=Outcome.FEASIBLE,
        levels=tuple(levels),
        moves=moves,
        unmet=tuple(Unmet(n, c, Reason.CAPACITY_EXHAUSTED) for n, c in left.items() if c),
        displaced=tuple(Displaced(n, c) for n, c in losses.items() if n >= 0),
        goals={},
        conflicts=(),
        seconds=0.0,
    )


def moves_of(standing: Standing, text: str) -> tuple[Move, ...]:
    """Read moves, ``kind machine need unit window`` each; the rest follows from the machine."""
    world, moves = standing.fleet, []
    for number, line in enumerate(filter(None, map(str.strip, text.split(";")))):
        kind, id, name, *rest = line.split()
        row, wanted = row_of(world, id), need_row(world, name)
        drained = MoveKind(kind) in DRAINS
        moves.append(
            Move(
                id=f"m{number}",
                unit=(rest or [f"u{number}"])[0],
                window=int(rest[1]) if len(rest) > 1 else 0,
                kind=MoveKind(kind),
                machine_class=int(world.machines.class_index[row]),
                machines=(row,),
                source=int(world.machines.shard[row]),
                target=world.shard_of_need(wanted),
                need=wanted,
                victim=int(standing.serves[row]) if drained else -1,
                reason="",
                preconditions=(),
                expires_seconds=30.0,
            )
        )
    return tuple(moves)


def world_of(machines, needs) -> Fleet:
    """Shard s0 owns a; s1 owns b and c; s2 owns nothing."""
    builder = fleet().shard("s0", "a").shard("s1", "b", "c").shard("s2").needs(*needs)
    for row, serves in (item if isinstance(item, tuple) else (item, None) for item in machines):
        builder.machines(row, serves=serves)
    return builder.build()


def far(id, state=IDLE, serves=None, *, shard="s1", **fields):
    """A machine of another shard; what it serves says the cluster it is in."""
    cluster = serves.split("/")[0] if serves else ("b" if state is CONFIGURED else None)
    return machine(id, state, cluster=cluster, shard=shard, **fields), serves


def near(id, state=IDLE, serves=None, **fields):
    cluster = serves.split("/")[0] if serves else ("a" if state is CONFIGURED else None)
    return machine(id, state, cluster=cluster, **fields), serves


def same(value):
    return value


@dataclass(frozen=True)
class Twin:
    """A world with moves that pass, and the change that breaks a rule.

    ``bend`` changes the standing, ``edit`` the finished plan, ``move`` each of its moves before
    the numbers are counted; all three only in the broken twin.
    """

    name: str
    rule: Rule | Law
    machines: list
    needs: list
    moves: str
    broken_machines: list | None = None
    broken_needs: list | None = None
    broken_moves: str | None = None
    bend: Callable[[Standing], Standing] = same
    move: Callable[[Move], Move] = same
    edit: Callable[[Plan], Plan] = same
    rebalance: dict = field(default_factory=dict)
    broken_rebalance: dict | None = None
    also: tuple = ()

    def passes(self):
        standing = standing_of(world_of(self.machines, self.needs))
        plan = plan_of(standing, moves_of(standing, self.moves))
        return rules(standing, plan, self.rebalance)

    def breaks(self):
        def changed(name):
            new = getattr(self, f"broken_{name}")
            return getattr(self, name) if new is None else new

        standing = self.bend(standing_of(world_of(changed("machines"), changed("needs"))))
        moves = tuple(map(self.move, moves_of(standing, changed("moves"))))
        return rules(standing, self.edit(plan_of(standing, moves)), changed("rebalance"))


def judged(twins: Sequence[Twin]):
    """Give two tests: the sound plan of every twin passes, and the broken one is refused."""
    each = pytest.mark.parametrize("twin", twins, ids=lambda twin: twin.name)

    @each
    def passes(twin):
        assert twin.passes() == set()

    @each
    def is_refused(twin):
        assert twin.breaks() == {twin.rule, *twin.also}

    return passes, is_refused


def rules(standing, plan, rebalance=None):
    settings = Settings()
    section = settings.rebalance.model_copy(update=rebalance or {})
    settings = settings.model_copy(update={"rebalance": section})
    return {violation.rule for violation in audit_plan(standing, plan, settings)}
