"""The judge of a cycle: every order legal, every need served by the rules, every shortfall true."""

from collections.abc import Iterator

import numpy as np

from models.audit.assignments import assignment_violations
from models.audit.drains import drain_violations
from models.audit.gangs import gang_violations
from models.audit.laws import Law
from models.audit.mixture import mixture_violations
from models.audit.orders import order_violations
from models.audit.outlook import CycleAnswer, outlook_of
from models.audit.shortages import shortage_violations
from models.audit.violation import Violation
from models.fleet import Fleet
from models.machine import UNKNOWN_NEED
from models.settings import Settings

__all__ = ["CycleAnswer", "audit_cycle"]

_CHECKS = (
    order_violations,
    assignment_violations,
    gang_violations,
    mixture_violations,
    drain_violations,
    shortage_violations,
)


def audit_cycle(fleet: Fleet, answer: CycleAnswer, settings: Settings) -> tuple[Violation, ...]:
    """Give every rule that the answer of one shard's cycle breaks.

    What the cycle knew beyond the fleet (back-off, forecasts, ages) is not judged. An answer that
    names rows which do not exist is refused for that alone.
    """
    dangling = tuple(_dangling(fleet, answer))
    if dangling:
        return dangling
    outlook = outlook_of(fleet, answer, settings)
    return tuple(violation for check in _CHECKS for violation in check(outlook))


def _dangling(fleet: Fleet, answer: CycleAnswer) -> Iterator[Violation]:
    where = "the cycle's answer"
    if not 0 <= answer.shard < len(fleet.shards):
        yield Violation(Law.OWN_MACHINE, where, f"shard number {answer.shard} is none")
    needs, machines = len(fleet.needs), len(fleet.machines)
    if answer.serves.shape != (machines,):
        message = f"serves has shape {answer.serves.shape}, not {(machines,)}"
        yield Violation(Law.SERVES, where, message)
    elif np.any((answer.serves < UNKNOWN_NEED) | (answer.serves >= needs)):
        yield Violation(Law.SERVES, where, "a machine serves a need that does not exist")
    for action in answer.actions:
        if not 0 <= action.machine < machines or not -1 <= action.need < needs:
            message = (
                f"{action.verb} of machine {action.machine} for need {action.need}: no such row"
            )
            yield Violation(Law.TRANSITION, where, message)
    for shortfall in answer.shortfalls:
        if not 0 <= shortfall.need < needs:
            yield Violation(Law.SHORTFALL, where, f"need number {shortfall.need} is none")
