"""Drains: whose machine may be taken, for whom, how many and with what grace."""

from collections.abc import Iterator

import numpy as np

from models.action import Action, Verb
from models.audit.laws import Law
from models.audit.names import is_active, machine_name, need_name
from models.audit.orders import is_hurried
from models.audit.outlook import Outlook
from models.audit.violation import Violation
from models.rules import Rule
from models.settings import Settings


def drain_violations(outlook: Outlook) -> Iterator[Violation]:
    """Judge each drain, then their number for each need."""
    for action in outlook.actions:
        if action.verb is not Verb.DRAIN:
            continue
        if is_hurried(outlook, action):
            yield from _step_of_grace(outlook, action)
            continue
        yield from _touchable(outlook, action)
        yield from _gives_way(outlook, action)
        yield from _fair_grace(outlook, action)
    ordered = np.unique(outlook.drained_for[outlook.drained_for >= 0])
    for need in ordered[outlook.waiting[ordered] > outlook.lacking[ordered]].tolist():
        message = f"{outlook.waiting[need]} drains for {outlook.lacking[need]} machines short"
        yield Violation(Law.DEFICIT, need_name(outlook.fleet, need), message)


def _touchable(outlook: Outlook, action: Action) -> Iterator[Violation]:
    machines = outlook.fleet.machines
    name = machine_name(outlook.fleet, action.machine)
    if machines.pinned[action.machine]:
        yield Violation(Rule.UNTOUCHED, name, "drained though it is pinned")
    cluster = int(machines.cluster[action.machine])
    if cluster >= 0 and not is_active(outlook.fleet, cluster):
        message = f"drained from {outlook.fleet.clusters[cluster]}, which is silent or shadow"
        yield Violation(Rule.UNTOUCHED, name, message)


def _gives_way(outlook: Outlook, action: Action) -> Iterator[Violation]:
    """No need of its cluster that is not strictly lower may lack the machine afterwards.

    That covers the need it served, were it equal or higher: without the machine it is short. Were
    it another need's, the lacking one would have been given it, unless a gang held it.
    """
    fleet, row = outlook.fleet, action.machine
    rule = Rule.PRIORITY if action.need >= 0 else Law.EXCESS
    for need in _needs_of_cluster(outlook, row):
        lower = action.need >= 0 and outlook.priority[need] < outlook.priority[action.need]
        if lower or not _may_claim(outlook, need, row):
            continue
        if outlook.lacking[need] > outlook.lost_count(need):
            message = f"drained though {need_name(fleet, need)} lacks it and does not give way"
            yield Violation(rule, machine_name(fleet, row), message)


def _fair_grace(outlook: Outlook, action: Action) -> Iterator[Violation]:
    """The gap is to the need it served; which one that was is not always known."""
    nobody = _grace_of(outlook.settings, 0)
    allowed = {nobody} if action.need < 0 else _graces(outlook, action)
    if action.grace_seconds not in (allowed or {nobody}):
        expected = " or ".join(f"{seconds:g}" for seconds in sorted(allowed or {nobody}))
        message = f"grace of {action.grace_seconds:g} s, expected {expected}"
        yield Violation(Law.GRACE, machine_name(outlook.fleet, action.machine), message)


def _graces(outlook: Outlook, action: Action) -> set[float]:
    fleet, row = outlook.fleet, action.machine
    own = int(outlook.priority[action.need])
    named = int(fleet.machines.serves[row])
    served = {need for need in _needs_of_cluster(outlook, row) if outlook.suits.has(need, row)}
    gaps = [own - int(outlook.priority[need]) for need in served | {named} - {-1}]
    graces = {_grace_of(outlook.settings, max(gap, 0)) for gap in gaps}
    return graces if named in served else graces | {_grace_of(outlook.settings, 0)}


def _step_of_grace(outlook: Outlook, action: Action) -> Iterator[Violation]:
    """A drain under way is hurried by whole steps of the table, never to the longest."""
    steps = [seconds for _, seconds in outlook.settings.preempt.grace[:-1]]
    if action.grace_seconds not in steps:
        message = f"hurried to {action.grace_seconds:g} s, which is no shorter step"
        yield Violation(Law.GRACE, machine_name(outlook.fleet, action.machine), message)


def _needs_of_cluster(outlook: Outlook, row: int) -> list[int]:
    cluster = outlook.fleet.machines.cluster[row]
    found: list[int] = np.flatnonzero(outlook.fleet.need_cluster == cluster).tolist()
    return found


def _may_claim(outlook: Outlook, need: int, row: int) -> bool:
    """Tell whether a need that lacks the machine would have been given it, had it been spare.

    Gangs, spreads and floors may refuse a machine that suits; they claim only what is theirs.
    """
    if not outlook.suits.could_hold(need, row):
        return False
    if outlook.fleet.machines.serves[row] == need:
        return True
    asks = outlook.fleet.needs[need]
    picky = asks.is_gang or asks.spread or asks.floor > 0
    return not picky and not _in_a_gang(outlook, row)


def _in_a_gang(outlook: Outlook, row: int) -> bool:
    """Tell whether a gang may hold the machine; its members go to no other need of the cluster."""
    named = int(outlook.fleet.machines.serves[row])
    if named >= 0:
        return outlook.fleet.needs[named].is_gang
    return any(
        outlook.fleet.needs[need].is_gang and outlook.suits.has(need, row)
        for need in _needs_of_cluster(outlook, row)
    )


def _grace_of(settings: Settings, gap: int) -> float:
    """Give the grace in seconds for a gap of at least 0; the steps are widest first, the last 0."""
    return next(seconds for least, seconds in settings.preempt.grace if gap >= least)
