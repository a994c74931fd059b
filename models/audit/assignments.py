"""Assignments: who gets a machine, whether it suits, and never more than asked for."""

from collections.abc import Iterator

import numpy as np

from models.action import Action, Verb
from models.audit.laws import Law
from models.audit.names import is_active, machine_name, need_name
from models.audit.outlook import Outlook, of_needs
from models.audit.violation import Violation
from models.machine import State
from models.rules import Rule


def assignment_violations(outlook: Outlook) -> Iterator[Violation]:
    """Judge what needs got, by order or by attribution."""
    for action in outlook.actions:
        if action.verb in (Verb.CONFIGURE, Verb.CREATE) or action.need >= 0:
            yield from _for_own_need(outlook, action)
    yield from _known_price(outlook)
    yield from _suitable(outlook)
    yield from _of_own_cluster(outlook)
    yield from _not_taken_from_equals(outlook)
    for need in range(len(outlook.fleet.needs)):
        if outlook.is_provided_for(need) and outlook.have[need] > outlook.asked[need]:
            message = f"{outlook.have[need]} machines for a count of {outlook.asked[need]}"
            yield Violation(Law.COUNT, need_name(outlook.fleet, need), message)


def _for_own_need(outlook: Outlook, action: Action) -> Iterator[Violation]:
    name = machine_name(outlook.fleet, action.machine)
    if action.need < 0:
        yield Violation(Law.OWN_NEED, name, f"{action.verb} for no need")
        return
    wanted_by = need_name(outlook.fleet, action.need)
    if not outlook.is_own(action.need):
        message = f"{action.verb} for {wanted_by} of another shard"
        yield Violation(Law.OWN_NEED, name, message)
    elif not is_active(outlook.fleet, int(outlook.fleet.need_cluster[action.need])):
        message = f"{action.verb} for {wanted_by} of a silent or shadow cluster"
        yield Violation(Rule.UNTOUCHED, name, message)


def _known_price(outlook: Outlook) -> Iterator[Violation]:
    machines = outlook.fleet.machines
    prices = outlook.fleet.numbers.price_per_hour
    for action in outlook.actions:
        if action.verb is Verb.CREATE and np.isnan(prices[machines.class_index[action.machine]]):
            name = machine_name(outlook.fleet, action.machine)
            yield Violation(Rule.PRICE_KNOWN, name, "created though its price is unknown")


def _suitable(outlook: Outlook) -> Iterator[Violation]:
    """Whatever a machine serves since this cycle, it matches and fits."""
    before, cell = outlook.fleet.machines.serves, outlook.fleet.machines.cell
    changed = (outlook.serves >= 0) & (outlook.serves != before)
    ordered = [action.machine for action in outlook.actions if action.need >= 0]
    changed[ordered] = outlook.serves[ordered] >= 0
    for need in np.unique(outlook.serves[changed]).tolist():
        rows = np.flatnonzero(changed & (outlook.serves == need))
        unmatched = rows[~outlook.suits.matches(need)[cell[rows]]]
        small = rows[~outlook.suits.fits(need)[cell[rows]]]
        served = need_name(outlook.fleet, need)
        for row in unmatched.tolist():
            message = f"does not match {served}"
            yield Violation(Rule.MATCHES, machine_name(outlook.fleet, row), message)
        for row in small.tolist():
            yield Violation(
                Rule.FITS, machine_name(outlook.fleet, row), f"is too small for {served}"
            )


def _of_own_cluster(outlook: Outlook) -> Iterator[Violation]:
    """A machine in a cluster serves that cluster, until it drains."""
    machines = outlook.fleet.machines
    placed = np.isin(outlook.state, [State.CONFIGURING, State.CONFIGURED])
    placed &= (machines.cluster >= 0) & (outlook.serves >= 0)
    for row in np.flatnonzero(placed).tolist():
        if outlook.fleet.need_cluster[outlook.serves[row]] != machines.cluster[row]:
            message = f"serves {need_name(outlook.fleet, outlook.serves[row])} of another cluster"
            yield Violation(Law.SERVES, machine_name(outlook.fleet, row), message)


def _not_taken_from_equals(outlook: Outlook) -> Iterator[Violation]:
    """A reservation goes to another cluster's need only if that is strictly higher.

    A need that has enough without it, or never could use it, loses nothing.
    """
    fleet, before = outlook.fleet, outlook.fleet.machines.serves
    free = np.isin(fleet.machines.state, [State.IDLE, State.DRAINING])
    moved = free & (before >= 0) & (outlook.serves >= 0)
    clusters, priority = fleet.need_cluster, outlook.priority
    moved &= of_needs(clusters, before) != of_needs(clusters, outlook.serves)
    moved &= of_needs(priority, outlook.serves) <= of_needs(priority, before)
    for row in np.flatnonzero(moved).tolist():
        loser = int(before[row])
        lost = outlook.lost_count(loser)
        bare = outlook.lacking[loser] - outlook.waiting[loser] - lost
        suits = outlook.suits.has(loser, row)
        if bare > 0 and suits and is_active(fleet, int(fleet.need_cluster[loser])):
            message = (
                f"taken from {need_name(fleet, loser)}, which lacks it, "
                f"for {need_name(fleet, outlook.serves[row])}, which is no higher"
            )
            yield Violation(Rule.PRIORITY, machine_name(fleet, row), message)
