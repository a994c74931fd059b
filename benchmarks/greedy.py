"""The greedy answer for a small fleet, in the terms in which the exact one is measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hotpath.cycle import Cycle, cycle
from hotpath.inventory import inventory_of
from hotpath.matching import Matching
from hotpath.memory import Memory
from models.action import Action, Verb
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import NOBODY, MachineRow, State
from models.rows import FleetRows
from models.settings import Settings

MOST_CYCLES = 50


@dataclass(frozen=True, slots=True)
class Greedy:
    """What the cycles arrive at.

    ``per_need`` has an entry for each need; costs are of what was free, effective, an hour.
    ``settled`` is False where the last of ``MOST_CYCLES`` still ordered something.
    """

    per_need: tuple[int, ...]
    creates: int
    cost_nanos: int
    evictions: int
    damage_usd: int
    settled: bool

    def levels(self, fleet: Fleet) -> tuple[tuple[int, int], ...]:
        """Give the machines served at each priority, the highest first."""
        totals: dict[int, int] = {}
        for need, served in zip(fleet.needs, self.per_need, strict=True):
            totals[need.priority] = totals.get(need.priority, 0) + served
        return tuple(sorted(totals.items(), reverse=True))


def first_cycle(rows: FleetRows, settings: Settings) -> Greedy:
    """Run one cycle; with everything that runs pinned, that is attribution and phase 1."""
    fleet = fleet_of(rows)
    done = cycle(inventory_of(fleet, 0), Memory(), settings, 0.0)
    return Greedy(_served(fleet, done), *_bought(fleet, done.actions), 0, 0, settled=True)


def settled_cycles(rows: FleetRows, settings: Settings) -> Greedy:
    """Run cycles until nothing more is ordered; each order has succeeded before the next one."""
    memory, evictions, damage, creates, cost = Memory(), 0, 0, 0, 0
    for _ in range(MOST_CYCLES):
        fleet = fleet_of(rows)
        done = cycle(inventory_of(fleet, 0), memory, settings, 0.0)
        if not done.actions:
            break
        more, nanos = _bought(fleet, done.actions)
        hit, usd = _harm(fleet, done.actions)
        creates, cost = creates + more, cost + nanos
        evictions, damage = evictions + hit, damage + usd
        rows, memory = _obeyed(rows, fleet, done), done.memory
    return Greedy(_served(fleet, done), creates, cost, evictions, damage, settled=not done.actions)


def _served(fleet: Fleet, done: Cycle) -> tuple[int, ...]:
    serves = done.serves[done.serves >= 0]
    return tuple(np.bincount(serves, minlength=len(fleet.needs)).tolist())


def _bought(fleet: Fleet, actions: Sequence[Action]) -> tuple[int, int]:
    """Give the machines created, and the effective cost of all that were assigned."""
    matching, creates, cost = Matching(fleet, ()), 0, 0
    for action in actions:
        if action.verb in (Verb.CREATE, Verb.CONFIGURE):
            creates += action.verb is Verb.CREATE
            k = fleet.machines.class_index[action.machine]
            cost += int(matching.costs(fleet.needs[action.need])[k])
    return creates, cost


def _harm(fleet: Fleet, actions: Sequence[Action]) -> tuple[int, int]:
    """Give the machines taken from needs, and the damage; a gang is interrupted once."""
    evictions, damage, broken = 0, 0, set()
    for action in actions:
        victim = int(fleet.machines.serves[action.machine])
        if action.verb is not Verb.DRAIN or action.need == NOBODY or victim == NOBODY:
            continue
        need, own = fleet.needs[victim], fleet.machines.reclamation_penalty[action.machine]
        evictions += 1
        damage += int(max(own, need.reclamation_penalty))
        damage += 0 if victim in broken else int(need.interruption_penalty)
        if need.is_gang:
            broken.add(victim)
    return evictions, damage


def _obeyed(rows: FleetRows, fleet: Fleet, done: Cycle) -> FleetRows:
    """Give the fleet in which every order has come to its end."""
    place = {row.id: at for at, row in enumerate(rows.machines)}
    # A fleet sorts its needs, and its rows name them by their place among the rows.
    number = {(need.cluster, need.id): at for at, need in enumerate(rows.needs)}
    machines = list(rows.machines)
    for action in done.actions:
        at = place[str(fleet.machines.ids[action.machine])]
        if action.need == NOBODY:
            machines[at] = _given_back(machines[at])
        else:
            need = fleet.needs[action.need]
            machines[at] = _serving(machines[at], need.cluster, number[need.cluster, need.id])
    return replace(rows, machines=machines)


def _given_back(row: MachineRow) -> MachineRow:
    return replace(row, state=State.IDLE, cluster=None, serves=NOBODY, state_since=0.0)


def _serving(row: MachineRow, cluster: str, serves: int) -> MachineRow:
    return replace(
        row,
        state=State.CONFIGURED,
        host_ref=row.host_ref or f"h-{row.id}",
        cluster=cluster,
        serves=serves,
        state_since=0.0,
    )
