"""Say of one need or one machine how it stands and what the cycle of its shard does about it."""

from dataclasses import dataclass

import numpy as np

from hotpath.cycle import Cycle, Decided
from hotpath.explain import ClassStory
from hotpath.explain import explain_machine as story_of_machine
from hotpath.explain import explain_need as story_of_need
from hotpath.label_columns import LabelColumns
from hotpath.matching import Matching
from models.action import Action
from models.bootstrap import is_bootstrap_key
from models.cost import NANOS_PER_USD
from models.fleet import Codes, Fleet, Mask
from models.machine import State
from models.need import Need
from models.quantity import format_quantity
from models.requirement import Requirement
from models.rules import Rule
from planner.render.details import details_of
from planner.render.trees import Row, action_rows, need_name, number, shortfall_rows


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """A fleet and the cycle of the shard that is asked about, after phase 2 and at its end."""

    fleet: Fleet
    decided: Decided
    cycle: Cycle

    @property
    def actions(self) -> tuple[Action, ...]:
        """Give all orders, those that shadow mode holds back too."""
        return (*self.cycle.actions, *self.cycle.shadowed)

    @property
    def bootstrap_keys(self) -> tuple[str, ...]:
        """Give the label patterns that the bootstrap blob makes true."""
        return tuple(map(str, self.decided.ledger.settings.assign.bootstrap_keys))


def explain_need(case: Case, row: int) -> dict[str, object]:
    """Give how a need is served, what is ordered for it, and why others do not serve it.

    ``refused`` counts each machine of the shard by the first rule that keeps it from the need,
    ``mismatches`` by the first requirement or resource of the need that it does not meet.
    """
    fleet, need, cycle = case.fleet, case.fleet.needs[row], case.cycle
    story = story_of_need(case.decided, row)
    serves = fleet.machines.serves
    return {
        "need": need.name,
        "cluster": need.cluster,
        "shard": fleet.shards[cycle.shard].name,
        "priority": need.priority,
        "count": need.count,
        "isSilent": bool(fleet.silent[fleet.need_cluster[row]]),
        "isShadow": bool(fleet.shadow[fleet.need_cluster[row]]),
        "serving": _by_state(fleet.machines.state[serves == row]),
        "have": story.have,
        "waiting": story.waiting,
        "ordered": action_rows(fleet, [a for a in case.actions if a.need == row]),
        "loses": action_rows(
            fleet, [a for a in case.actions if serves[a.machine] == row and a.need != row]
        ),
        "shortfall": shortfall_rows(fleet, [story.shortfall])[0] if story.shortfall else None,
        "refused": _named(story.refused),
        "mismatches": _mismatches(case, need),
        "freeElsewhere": _free_elsewhere(case, need),
        "classes": [_class(fleet, each) for each in story.classes],
    }


def explain_machine(case: Case, row: int) -> dict[str, object]:
    """Give what a machine is, what is ordered for it, and what keeps each need from it."""
    fleet, machines = case.fleet, case.fleet.machines
    [detail] = details_of(fleet, [row])
    story = story_of_machine(case.decided, row)
    actions = action_rows(fleet, [a for a in case.actions if a.machine == row])
    cluster = int(machines.cluster[row])
    return {
        "machine": machines.ids[row],
        "shard": fleet.shards[case.cycle.shard].name,
        "state": story.state.name,
        "cluster": fleet.clusters[cluster] if cluster >= 0 else None,
        "serves": need_name(fleet, int(machines.serves[row])),
        "servesAfter": need_name(fleet, int(case.cycle.serves[row])),
        "isExcess": story.is_excess,
        "isPinned": bool(machines.pinned[row]),
        "instanceType": detail.instance_type or None,
        "capacityType": detail.capacity_type,
        "zone": detail.zone or None,
        "pricePerHour": number(detail.price_per_hour),
        "action": actions[0] if actions else None,
        "needs": [
            {
                "need": fleet.needs[need].name,
                "priority": fleet.needs[need].priority,
                "rule": rule.name if rule else None,
                "why": str(rule) if rule else None,
            }
            for need, rule in story.verdicts.items()
        ],
    }


def _class(fleet: Fleet, story: ClassStory) -> Row:
    return {
        "class": fleet.classes[story.class_index].name,
        "effectiveCost": _usd(story.effective_cost_nanos),
        "dearerBy": _usd(story.dearer_by_nanos),
        "chosen": story.chosen,
        "left": story.left,
        "refused": _named(story.refused),
    }


def _usd(nanos: int | None) -> int | float | None:
    return None if nanos is None else number(nanos / NANOS_PER_USD)


def _named(counts: dict[Rule, int]) -> dict[str, int]:
    return {rule.name: count for rule, count in counts.items() if count}


def _by_state(states: np.ndarray[tuple[int], np.dtype[np.int8]]) -> dict[str, int]:
    codes, counts = np.unique(states, return_counts=True)
    pairs = zip(codes.tolist(), counts.tolist(), strict=True)
    return {State(code).name: count for code, count in pairs}


def _free_elsewhere(case: Case, need: Need) -> dict[str, int]:
    """Count the machines of other shards that match, are idle or speculative, and are not taken."""
    fleet, machines = case.fleet, case.fleet.machines
    stable = (machines.state == State.IDLE) | (machines.state == State.SPECULATIVE)
    free: Mask = stable & (machines.serves < 0) & np.isnan(machines.reclaim_at) & ~machines.pinned
    free &= Matching(fleet, case.bootstrap_keys).eligible(need)[machines.cell]
    counts = np.bincount(machines.shard[free], minlength=len(fleet.shards)).tolist()
    return {
        shard.name: count
        for row, (shard, count) in enumerate(zip(fleet.shards, counts, strict=True))
        if count and row != case.cycle.shard
    }


def _mismatches(case: Case, need: Need) -> dict[str, int]:
    """Count the shard's machines by what of the need they fail first, in the order of the need."""
    fleet, cells = case.fleet, case.decided.ledger.inventory.machines.cell
    columns = LabelColumns(fleet)
    tests: dict[str, Mask] = {
        _written(requirement): columns.meets(requirement)[cells]
        for requirement in need.requirements
        if not is_bootstrap_key(requirement.key, case.bootstrap_keys)
    }
    for name, amount in need.resources.items():
        tests[f"{name} >= {format_quantity(amount, name)}"] = _has(fleet, name, amount, cells)
    left = np.ones(len(cells), dtype=np.bool_)
    counts = {}
    for what, passes in tests.items():
        counts[what] = int(np.count_nonzero(left & ~passes))
        left &= passes
    return {what: count for what, count in counts.items() if count}


def _has(fleet: Fleet, resource: str, amount: int, cells: Codes) -> Mask:
    """Mark the cells with enough of a resource; a fleet may not know it at all."""
    if resource not in fleet.resources:
        return np.full(len(cells), amount <= 0)
    column = fleet.numbers.resources[:, fleet.resources.index(resource)]
    enough: Mask = (column >= amount)[fleet.cells.class_index[cells]]
    return enough


def _written(requirement: Requirement) -> str:
    return f"{requirement.key} {requirement.operator} {', '.join(requirement.values)}".rstrip()
