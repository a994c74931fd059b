"""Say of one need or one machine how it stands and what the cycle of its shard does about it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hotpath.cycle import Cycle, Decided
from hotpath.label_columns import LabelColumns
from hotpath.matching import Matching
from hotpath.why.explain import ClassStory, NeedStory, TurnStory
from hotpath.why.explain import explain_machine as story_of_machine
from hotpath.why.explain import explain_need as story_of_need
from hotpath.why.losing import Lost, Verdict, Way
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

    As of the need's turn, ``refused`` counts each machine of the shard by the first rule that kept
    it from the need, ``lost`` those that no rule kept from it by what decided against them, and
    ``takenBefore`` those that earlier needs had taken. ``mismatches`` counts by the first
    requirement or resource of the need that a machine does not meet; ``words`` says what the names
    mean.
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
        "lost": _named(story.lost),
        "takenBefore": _by_need(fleet, story.taken),
        "mismatches": _mismatches(case, need),
        "freeElsewhere": _free_elsewhere(case, need),
        "classes": [_class(fleet, each) for each in story.classes],
        "words": _words(story),
    }


def explain_machine(case: Case, row: int) -> dict[str, object]:
    """Give what a machine is, what is ordered for it, and what came of it at each need's turn.

    The needs come in the order of their turns; ``outcome`` is held, chosen, refused or lost, and
    ``rule`` by what it was refused or lost.
    """
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
        "needs": [_turn(fleet, turn) for turn in story.turns],
    }


def _turn(fleet: Fleet, story: TurnStory) -> Row:
    verdict, need = story.verdict, fleet.needs[story.need]
    return {
        "need": need.name,
        "priority": need.priority,
        "outcome": _outcome(verdict),
        "rule": None if isinstance(verdict, Way) else verdict.name,
        "why": str(verdict),
        "dearerBy": _usd(story.dearer_by_nanos),
        "takenBefore": need_name(fleet, story.taken_by),
    }


def _outcome(verdict: Verdict) -> str:
    match verdict:
        case Way.HELD:
            return "held"
        case Way():
            return "chosen"
        case Rule():
            return "refused"
        case Lost():
            return "lost"


def _class(fleet: Fleet, story: ClassStory) -> Row:
    return {
        "class": fleet.classes[story.class_index].name,
        "effectiveCost": _usd(story.effective_cost_nanos),
        "dearerBy": _usd(story.dearer_by_nanos),
        "held": story.held,
        "chosen": sum(story.chosen.values()),
        "chosenAs": _named(story.chosen),
        "left": sum(story.lost.values()),
        "lost": _named(story.lost),
        "refused": _named(story.refused),
        "takenBefore": _by_need(fleet, story.taken),
    }


def _words(story: NeedStory) -> dict[str, str]:
    """Say what the names in a need's story mean, those of them that occur."""
    ways = (way for each in story.classes for way in each.chosen)
    return {word.name: str(word) for word in (*ways, *story.lost, *story.refused)}


def _by_need(fleet: Fleet, counts: Mapping[int, int]) -> dict[str, int]:
    return {fleet.needs[need].name: count for need, count in counts.items()}


def _usd(nanos: int | None) -> int | float | None:
    return None if nanos is None else number(nanos / NANOS_PER_USD)


def _named(counts: Mapping[Way, int] | Mapping[Rule, int] | Mapping[Lost, int]) -> dict[str, int]:
    return {verdict.name: count for verdict, count in counts.items()}


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
