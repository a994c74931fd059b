"""The engine's answers in the oracle's words."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from oracle.cycle import Order

from hotpath.cycle import Cycle, cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from hotpath.plain.opening import open_ledger
from models.audit import CycleAnswer, Violation, audit_cycle
from models.columns import fleet_of
from models.fleet import Fleet
from models.rows import FleetRows
from models.settings import Settings


def attribution_of(rows: FleetRows, shard: int) -> Mapping[str, int | None]:
    """Give which need each machine of a shard counts for: a row of the document, or None."""
    fleet = fleet_of(rows)
    inventory = inventory_of(fleet, shard)
    nothing = np.zeros(len(inventory), dtype=np.bool_)
    ledger = open_ledger(inventory, Settings(), Memory(), nothing, 0.0)
    place = {(need.cluster, need.id): row for row, need in enumerate(rows.needs)}
    found: dict[str, int | None] = {}
    for index, id in enumerate(inventory.machines.ids):
        found[id] = None
        if ledger.held[index] and ledger.serves[index] >= 0:
            need = fleet.needs[ledger.serves[index]]
            found[id] = place[need.cluster, need.id]
    return found


@dataclass(frozen=True)
class Reply:
    """What the engine answered for one shard, by name; the judge's verdict beside it."""

    actions: set[Order]
    shortfalls: dict[str, tuple[int, str]]
    violations: tuple[Violation, ...]


def reply_of(rows: FleetRows, shard: int) -> Reply:
    """Run the engine as on a file: empty memory, now is 0."""
    fleet = fleet_of(rows)
    done = cycle(inventory_of(fleet, shard), Memory(), Settings(), now=0.0)
    actions = named_actions(fleet, done)
    assert len(actions) == len(done.actions)
    names = [f"{need.cluster}/{need.id}" for need in fleet.needs]
    answer = CycleAnswer(shard, done.actions, done.shortfalls, done.serves)
    return Reply(
        actions=actions,
        shortfalls={names[s.need]: (s.count, s.reason) for s in done.shortfalls},
        violations=audit_cycle(fleet, answer, Settings()),
    )


def named_actions(fleet: Fleet, done: Cycle) -> set[Order]:
    """Give the actions without row numbers."""
    names = [f"{need.cluster}/{need.id}" for need in fleet.needs]
    return {
        (
            str(action.verb),
            str(fleet.machines.ids[action.machine]),
            names[action.need] if action.need >= 0 else None,
            action.grace_seconds,
        )
        for action in done.actions
    }
