"""Orders: one a machine, by its owner, legal by the table, and as recorded."""

from collections import Counter
from collections.abc import Iterator

from models.action import Action, Verb
from models.audit.laws import Law
from models.audit.names import machine_name, need_name
from models.audit.outlook import Outlook
from models.audit.violation import Violation
from models.machine import STABLE, UNKNOWN_NEED, Operation, State, is_legal
from models.rules import Rule

_OPERATION = {
    Verb.CONFIGURE: Operation.CONFIGURE,
    Verb.CREATE: Operation.CREATE,
    Verb.DRAIN: Operation.DRAIN,
    Verb.DELETE: Operation.DELETE,
}


def order_violations(outlook: Outlook) -> Iterator[Violation]:
    """Judge each order on its own machine."""
    for row, count in Counter(action.machine for action in outlook.actions).items():
        if count > 1:
            name = machine_name(outlook.fleet, row)
            yield Violation(Law.ONE_ACTION, name, f"{count} actions")
    for action in outlook.actions:
        yield from _of_own_machine(outlook, action)
        yield from _legal(outlook, action)
        yield from _recorded(outlook, action)
        if action.verb is Verb.DELETE:
            yield from _deletable(outlook, action)


def _of_own_machine(outlook: Outlook, action: Action) -> Iterator[Violation]:
    if not outlook.mine[action.machine]:
        message = f"{action.verb} by a shard that does not own it"
        yield Violation(Law.OWN_MACHINE, machine_name(outlook.fleet, action.machine), message)


def _legal(outlook: Outlook, action: Action) -> Iterator[Violation]:
    machines = outlook.fleet.machines
    name = machine_name(outlook.fleet, action.machine)
    state = State(machines.state[action.machine])
    capacity = outlook.fleet.classes[machines.class_index[action.machine]].capacity_type
    if machines.serves[action.machine] == UNKNOWN_NEED:
        message = f"{action.verb} though it is reserved for a need that is not known"
        yield Violation(Rule.UNTOUCHED, name, message)
    available = state in STABLE or is_hurried(outlook, action)
    if not available or not is_legal(state, _OPERATION[action.verb], capacity):
        yield Violation(Law.TRANSITION, name, f"{action.verb} of {capacity}, {state.name}")
    wanted = action.verb in (Verb.CONFIGURE, Verb.CREATE)
    if wanted and machines.reclaim_at[action.machine] == machines.reclaim_at[action.machine]:
        yield Violation(Rule.AVAILABLE, name, f"{action.verb} though it is about to be reclaimed")


def is_hurried(outlook: Outlook, action: Action) -> bool:
    """Tell whether a drain only shortens the grace of one that runs for the same need."""
    before = outlook.fleet.machines
    return (
        action.verb is Verb.DRAIN
        and before.state[action.machine] == State.DRAINING
        and action.need >= 0
        and before.serves[action.machine] == action.need
    )


def _recorded(outlook: Outlook, action: Action) -> Iterator[Violation]:
    """Machines got by an order serve the need it names; a deleted one serves none."""
    recorded = int(outlook.answer.serves[action.machine])
    named = -1 if action.verb is Verb.DELETE else action.need
    if recorded != named:
        says = need_name(outlook.fleet, recorded) if recorded >= 0 else "no need"
        message = f"{action.verb} for need number {named}, but recorded for {says}"
        yield Violation(Law.RECORDED, machine_name(outlook.fleet, action.machine), message)


def _deletable(outlook: Outlook, action: Action) -> Iterator[Violation]:
    """A reservation ends only when its need has enough, or the machine no longer suits it."""
    if outlook.fleet.machines.pinned[action.machine]:
        name = machine_name(outlook.fleet, action.machine)
        yield Violation(Rule.UNTOUCHED, name, "deleted though it is pinned")
    need = int(outlook.fleet.machines.serves[action.machine])
    if need < 0 or not outlook.suits.has(need, action.machine):
        return
    if outlook.lacking[need] > 0:
        message = f"deleted, reserved for {need_name(outlook.fleet, need)}, which is short"
        yield Violation(Law.RESERVED, machine_name(outlook.fleet, action.machine), message)
