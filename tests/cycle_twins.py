"""Answers of a cycle written as text, and twins of them that break one rule."""

from dataclasses import dataclass

import numpy as np
from builders import fleet, machine, need, need_row, row_of

from models.action import Action, Verb
from models.audit import CycleAnswer, Law, audit_cycle
from models.fleet import Fleet
from models.machine import CapacityType, State
from models.rules import Rule
from models.settings import Settings
from models.shortfall import Reason, Shortfall

IDLE, SPECULATIVE, CONFIGURED = State.IDLE, State.SPECULATIVE, State.CONFIGURED
DRAINING, CREATING, FAILED = State.DRAINING, State.CREATING, State.FAILED
SPOT = CapacityType.SPOT


def judge(world: Fleet, orders: str, short: str = "", serves: str = "", shard: int = 0):
    """Judge an answer written as text; give the rules it breaks.

    ``orders``: ``verb machine need grace``, ``-`` is nobody; ``short``: ``need count reason``;
    ``serves``: ``machine need``, beside what the orders and the fleet say.
    """
    after = np.array(world.machines.serves)
    actions = []
    for verb, id, name, grace in (f"{line} - 0".split()[:4] for line in _lines(orders)):
        wanted = need_row(world, name) if name != "-" else -1
        actions.append(Action(Verb(verb), row_of(world, id), wanted, float(grace.strip("-") or 0)))
        after[row_of(world, id)] = wanted
    for id, name in (line.split() for line in _lines(serves)):
        after[row_of(world, id)] = need_row(world, name) if name != "-" else -1
    shortfalls = [
        Shortfall(need_row(world, name), int(count), Reason((reason or ["CapacityExhausted"])[0]))
        for name, count, *reason in (line.split() for line in _lines(short))
    ]
    answer = CycleAnswer(shard, actions, shortfalls, after)
    return {violation.rule for violation in audit_cycle(world, answer, Settings())}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split(";") if line.strip()]


@dataclass(frozen=True)
class Twin:
    """A world with an answer that passes, and the change that breaks the rule."""

    name: str
    rule: Rule | Law
    machines: list
    needs: list
    orders: str = ""
    short: str = ""
    serves: str = ""
    broken_machines: list | None = None
    broken_needs: list | None = None
    broken_orders: str | None = None
    broken_short: str | None = None
    broken_serves: str | None = None
    also: tuple = ()

    def passes(self):
        return judge(world_of(self.machines, self.needs), self.orders, self.short, self.serves)

    def breaks(self):
        def changed(field):
            new = getattr(self, f"broken_{field}")
            return getattr(self, field) if new is None else new

        world = world_of(changed("machines"), changed("needs"))
        return judge(world, changed("orders"), changed("short"), changed("serves"))


def world_of(machines, needs):
    builder = fleet().shard("s0", "a", "b").shard("s1", "c").needs(*needs)
    for row, serves in (item if isinstance(item, tuple) else (item, None) for item in machines):
        builder.machines(row, serves=serves)
    return builder.build()


def used(id, serves, **fields):
    return machine(id, CONFIGURED, cluster=serves.split("/")[0], **fields), serves


def silent_or_shadow(how):
    builder = fleet().shard("s0", "a", "b").needs(need("a/n"), need("b/n", priority=9))
    builder.machines(machine("i")).machines(machine("m", CONFIGURED, cluster="a"), serves="a/n")
    if how == "shadow":
        builder.shadow("a")
    if how == "silent":
        builder.silence()
    return builder.build()
