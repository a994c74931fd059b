"""Back-off: leave alone exactly what failed, for a while that doubles."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf

import numpy as np

from hotpath.inventory import Inventory
from hotpath.memory import Memory, Pause
from models import labels
from models.failure import FailureClass
from models.fleet import Fleet
from models.machine import State
from models.settings.sections import BackoffSettings
from models.shortfall import Reason

Scope = tuple[str, ...]
"""What a failure concerns: its kind, then the names that single it out."""

REASONS: dict[str, Reason] = {
    "quota": Reason.QUOTA_EXHAUSTED,
    "subnet": Reason.ADDRESSES_EXHAUSTED,
    "class": Reason.STOCKED_OUT,
}
"""Reason of a shortfall by the kind of what is left alone; other kinds give none of their own."""


def scope_of(fleet: Fleet, machine: int, failure: FailureClass) -> Scope | None:
    """Give what a failed Create of a machine (a row of the fleet) says is not to be had.

    None for THROTTLED, after which the same call is made again.
    """
    cell = int(fleet.machines.cell[machine])
    k = int(fleet.machines.class_index[machine])
    kind = fleet.classes[k]
    zone = fleet.cell_labels(labels.ZONE)[cell] or ""
    match failure:
        case FailureClass.CAPACITY:
            return ("class", fleet.class_key(k), zone, str(kind.capacity_type))
        case FailureClass.QUOTA:
            named = fleet.cell_labels(labels.QUOTA)[cell]
            region = fleet.cell_labels(labels.REGION)[cell] or ""
            return (
                ("quota", named)
                if named
                else ("quota", kind.provider, region, str(kind.capacity_type))
            )
        case FailureClass.IP:
            named = fleet.cell_labels(labels.SUBNET)[cell]
            return ("subnet", named) if named else ("subnet", kind.provider, zone)
        case FailureClass.INVALID:
            return ("slot", str(fleet.machines.ids[machine]))
        case FailureClass.INTERNAL:
            return ("machine", str(fleet.machines.ids[machine]))
        case FailureClass.THROTTLED:
            return None


def after_failure(memory: Memory, scope: Scope, settings: BackoffSettings, now: float) -> Memory:
    """Remember a failure: the first pause, or twice the last one, up to the longest.

    A slot that is INVALID is left alone until it is listed anew, see ``after_success``.
    """
    last = memory.pauses.get(scope)
    seconds = settings.first if last is None else min(2 * last.seconds, settings.max)
    until = inf if scope[0] == "slot" else now + seconds
    return replace(memory, pauses={**memory.pauses, scope: Pause(until, seconds)})


def after_success(memory: Memory, fleet: Fleet, machine: int) -> Memory:
    """Forget every failure that a Create of this machine could have met: it just went well."""
    cleared = {scope_of(fleet, machine, failure) for failure in FailureClass}
    return replace(memory, pauses={s: p for s, p in memory.pauses.items() if s not in cleared})


def paused_kinds(inventory: Inventory, memory: Memory, now: float) -> Mapping[int, str]:
    """Give the speculative machines (places here) that are left alone, and by what kind.

    A quota's pause hides a subnet's, and that a class's, as the reasons of shortfalls do.
    """
    open_ = {scope for scope, pause in memory.pauses.items() if pause.until > now}
    if not open_:
        return {}
    kinds: dict[int, str] = {}
    order = (
        FailureClass.QUOTA,
        FailureClass.IP,
        FailureClass.CAPACITY,
        FailureClass.INVALID,
        FailureClass.INTERNAL,
    )
    for place in np.flatnonzero(inventory.has_state(State.SPECULATIVE)).tolist():
        for failure in order:
            scope = scope_of(inventory.fleet, int(inventory.rows[place]), failure)
            if scope in open_:
                kinds[place] = scope[0]
                break
    return kinds
