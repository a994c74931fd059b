"""Apply a change to a fleet document and its settings, to see what comes of it."""

from collections.abc import Mapping
from dataclasses import replace

from models.machine import MachineRow
from models.need import Need
from models.rows import FleetRows
from rebalancer.explain.change import (
    Add,
    AskLess,
    Change,
    DropRequirement,
    DropSame,
    DropSpread,
    LowerFloor,
    LowerGap,
    Part,
    Reduce,
)
from rebalancer.explain.machines_to_add import ADDED


def applied(rows: FleetRows, cluster: str, id: str, change: Change) -> FleetRows:
    """Give the rows after a change for the need ``cluster``/``id``."""
    # Indices are those of the need as it was, so the last spread goes first.
    parts = change.parts
    for part in sorted(parts, key=lambda part: -part.index if isinstance(part, DropSpread) else 0):
        if isinstance(part, Add):
            rows = replace(rows, machines=[*rows.machines, _unlike(rows, part.row)])
        else:
            rows = replace(
                rows, needs=tuple(_edited(need, part, cluster, id) for need in rows.needs)
            )
    return rows


def min_gap_of(change: Change) -> int | None:
    """Give the ``rebalance.min_gap`` that a change sets; None where it sets none."""
    return next((part.min_gap for part in change.parts if isinstance(part, LowerGap)), None)


def _unlike(rows: FleetRows, row: MachineRow) -> MachineRow:
    """Give the row with ids that no other row has, and that come after those of earlier parts."""
    number = sum(each.id.startswith(ADDED.removesuffix("{}")) for each in rows.machines)
    name = ADDED.replace("{}", f"{number:06}-{{}}")
    return replace(row, id=name, host_ref=f"host-{name}")


def _edited(need: Need, part: Part, cluster: str, id: str) -> Need:
    if isinstance(part, Reduce):
        is_it = (need.cluster, need.id) == (part.cluster, part.id)
        return replace(need, count=need.count - part.by) if is_it else need
    if (need.cluster, need.id) != (cluster, id):
        return need
    match part:
        case DropRequirement():
            left = list(need.requirements)
            left.remove(part.requirement)
            return replace(need, requirements=tuple(left))
        case AskLess():
            return replace(need, resources=_less(need.resources, part))
        case DropSame():
            return replace(need, same=None)
        case DropSpread():
            spread = tuple(each for at, each in enumerate(need.spread) if at != part.index)
            return replace(need, spread=spread)
        case LowerFloor():
            return replace(need, floor=part.floor)
    return need


def _less(resources: Mapping[str, int], part: AskLess) -> Mapping[str, int]:
    amounts = {**resources, part.resource: part.amount}
    return {name: amount for name, amount in amounts.items() if amount}
