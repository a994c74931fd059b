"""What happens to a fleet between two cycles: orders are carried out or fail, time passes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from random import Random

import numpy as np

from hotpath.backoff import after_failure, scope_of
from hotpath.memory import DrainWatch, Memory, Rate, need_key
from hotpath.plain.ledger import Ledger
from models.action import Action, Verb
from models.failure import FailureClass
from models.fleet import Codes, Fleet, Ints, Machines
from models.machine import NOBODY, State
from models.rows import FleetRows, ShardRow
from models.settings import Settings

COLUMNS = (
    "state", "serves", "cluster", "reclamation_penalty", "state_since", "pinned", "reclaim_at",
    "host_refs",
)  # fmt: skip
"""What of a machine may change while it is listed."""

_SINCE = (0.0, -10.0, -299.0, -300.0, -301.0, -449.0, -451.0, -599.0, -600.0, -3_599.0, -3_600.0)


def varied(rows: FleetRows, chance: Random) -> FleetRows:
    """Put some free machines into another shard, and let the clocks of some differ more.

    One fleet in three is four times as large.
    """
    machines = list(rows.machines)
    if chance.random() < 1 / 3:
        machines = [
            replace(row, id=f"{row.id}{copy}", host_ref=row.host_ref and f"{row.host_ref}{copy}")
            for row in machines
            for copy in "abcd"
        ]
    for index, row in enumerate(machines):
        is_free = row.state in (State.IDLE, State.SPECULATIVE) and row.serves == NOBODY
        machines[index] = replace(
            row,
            shard="s1" if is_free and chance.random() < 0.15 else row.shard,
            state_since=chance.choice(_SINCE) if chance.random() < 0.3 else row.state_since,
        )
    return replace(rows, machines=machines, shards=(*rows.shards, ShardRow("s1", ())))


def remembered(fleet: Fleet, settings: Settings, chance: Random) -> Memory:
    """Give what a shard might remember of the fleet at 0, sometimes nothing."""
    if chance.random() < 0.3:
        return Memory()
    ids = [str(id) for id in fleet.machines.ids]
    memory = Memory(
        last_cycle=-10.0,
        short_cycles={need_key(need): chance.randint(1, 4) for need in fleet.needs},
        excess_since={id: chance.choice((-100.0, -60.0, -59.0, -5.0)) for id in ids[::2]},
        drains={
            id: DrainWatch(chance.choice((0, 1, 4, 4, 9)), chance.choice((600.0, 120.0, 10.0)))
            for id in ids[::3]
        },
        rates={
            fleet.class_key(k): Rate(chance.random() * chance.choice((0.1, 1, 3)), at)
            for k, at in enumerate(chance.choices((-10.0, -900.0, 5.0), k=len(fleet.classes)))
        },
    )
    return failed(memory, fleet, settings, chance.choice((-400.0, -50.0, -10.0)), chance)


def failed(memory: Memory, fleet: Fleet, settings: Settings, now: float, chance: Random) -> Memory:
    """Remember that a Create of some machine failed, in some way."""
    if not len(fleet.machines):
        return memory
    kind = chance.choice(tuple(FailureClass))
    scope = scope_of(fleet, chance.randrange(len(fleet.machines)), kind)
    return memory if scope is None else after_failure(memory, scope, settings.backoff, now)


def labels_of(opened: Ledger) -> Codes:
    """Give the need that each machine's label names once the books are opened, ``(m,)``.

    What a need holds bears its name from then on; what is excess, or drains, keeps its label.
    """
    columns = opened.inventory.machines
    labels = np.where(opened.names != NOBODY, opened.names, opened.serves)
    kept: Codes = np.where(columns.state == State.DRAINING, columns.serves, labels)
    return kept.astype(np.int32)


@dataclass(frozen=True, eq=False, slots=True)
class Passed:
    """A fleet some time later; ``changed`` are rows of machines, ``counts`` new ones of needs."""

    fleet: Fleet
    changed: Ints
    counts: dict[int, int]


def passed(
    fleet: Fleet, rows: Ints, labels: Codes, actions: Sequence[Action], now: float, chance: Random
) -> Passed:
    """Let time pass until ``now`` for the machines in ``rows``, whose ``labels`` are given.

    Most orders are carried out, some transitions end, a machine fails, is pinned, is taken back.
    """
    columns = {name: getattr(fleet.machines, name).copy() for name in COLUMNS}
    columns["serves"][rows] = labels
    before = replace(fleet.machines, **{name: column.copy() for name, column in columns.items()})
    ordered = {action.machine: action for action in actions}
    for row in rows.tolist():
        action = ordered.get(row)
        if action is not None and chance.random() < 0.6:
            _carry_out(fleet, columns, row, action, now)
        elif action is None and chance.random() < 0.25:
            _move_on(columns, row, now, chance)
        elif chance.random() < 0.15:
            _disturb(columns, row, now, chance)
    counts = {n: chance.randint(0, 4) for n in range(len(fleet.needs)) if chance.random() < 0.25}
    after = replace(fleet.machines, **columns)
    needs = tuple(
        replace(need, count=counts.get(n, need.count)) for n, need in enumerate(fleet.needs)
    )
    return Passed(replace(fleet, machines=after, needs=needs), _changed(before, after), counts)


def _carry_out(fleet: Fleet, columns: dict, row: int, action: Action, now: float) -> None:
    if action.verb is Verb.DRAIN and columns["state"][row] == State.DRAINING:
        return
    columns["state_since"][row] = now
    columns["serves"][row] = action.need
    columns["state"][row] = {
        Verb.CONFIGURE: State.CONFIGURING,
        Verb.CREATE: State.CREATING,
        Verb.DRAIN: State.DRAINING,
        Verb.DELETE: State.DELETING,
    }[action.verb]
    if action.verb is Verb.CONFIGURE:
        columns["cluster"][row] = fleet.need_cluster[action.need]


def _move_on(columns: dict, row: int, now: float, chance: Random) -> None:
    """End a transition; now and then a configured machine fails."""
    state = State(int(columns["state"][row]))
    then = {
        State.CREATING: State.IDLE,
        State.CONFIGURING: State.CONFIGURED,
        State.DRAINING: State.IDLE,
        State.DELETING: State.SPECULATIVE,
        State.FAILED: State.SPECULATIVE,
    }.get(state, state)
    if state is State.CONFIGURED and chance.random() < 0.3:
        then = State.FAILED
        columns["serves"][row] = NOBODY
    if then is state:
        return
    columns["state"][row], columns["state_since"][row] = then, now
    if state is State.CREATING:
        columns["host_refs"][row] = f"new-{row}"
    if then in (State.IDLE, State.SPECULATIVE):
        columns["cluster"][row] = NOBODY
    if then is State.SPECULATIVE:
        columns["serves"][row] = NOBODY
        columns["host_refs"][row], columns["reclaim_at"][row] = None, nan


def _disturb(columns: dict, row: int, now: float, chance: Random) -> None:
    match chance.choice(("pin", "penalty", "notice", "no notice")):
        case "pin":
            columns["pinned"][row] ^= True
        case "penalty":
            columns["reclamation_penalty"][row] = chance.choice((0.0, 1.0, 20.0, 5_000.0))
        case "notice" if columns["host_refs"][row] is not None:
            columns["reclaim_at"][row] = now + 60
        case "no notice":
            columns["reclaim_at"][row] = nan


def _changed(before: Machines, after: Machines) -> Ints:
    differs = np.zeros(len(after), dtype=np.bool_)
    for name in COLUMNS:
        old, new = getattr(before, name), getattr(after, name)
        # NaN, for no notice, differs from itself.
        differs |= (old != new) & ~((old != old) & (new != new))
    return np.flatnonzero(differs)
