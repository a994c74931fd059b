"""How a machine stands, as a plain tree and as tables."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from hotpath.why.explain import TurnStory
from hotpath.why.losing import Lost, Verdict, Way
from models.fleet import Fleet
from models.rules import Rule
from planner.explain.machine import AskedMachine
from planner.render.details import details_of
from planner.render.explain.cycle import fact_table, usd
from planner.render.formats import Answer, Part
from planner.render.table import Table, or_dash
from planner.render.tables import plain_number
from planner.render.trees import Row, action_rows, need_name, number

FEW_NEEDS = 20
"""Rows that the plain table shows of needs; with more it leaves them to ``wide``."""


def machine_answer(found: AskedMachine, name: str) -> Answer:
    """Give what a machine is, what is ordered for it, and what came of it at each need's turn."""
    tree = machine_tree(found)
    # This tree holds plain values; its type says less.
    plain = cast(Mapping[str, Any], tree)

    def parts(wide: bool) -> list[Part]:
        needs = plain["needs"]
        tables = [fact_table(f"machine {name}", plain, frozenset({"needs"}))]
        tables += [_needs(needs)] if wide or len(needs) <= FEW_NEEDS else []
        return [*tables]

    return Answer(tree, lambda: [name], parts)


def machine_tree(found: AskedMachine) -> Row:
    """Give what a machine is, what is ordered for it, and what came of it at each need's turn.

    The needs come in the order of their turns; ``outcome`` is held, chosen, refused or lost, and
    ``rule`` by what it was refused or lost.
    """
    asked, row, story = found.asked, found.row, found.story
    fleet, machines = asked.fleet, asked.fleet.machines
    [detail] = details_of(fleet, [row])
    actions = action_rows(fleet, [a for a in asked.actions if a.machine == row])
    cluster = int(machines.cluster[row])
    return {
        "machine": machines.ids[row],
        "shard": fleet.shards[asked.cycle.shard].name,
        "state": story.state.name,
        "cluster": fleet.clusters[cluster] if cluster >= 0 else None,
        "serves": need_name(fleet, int(machines.serves[row])),
        "servesAfter": need_name(fleet, int(asked.cycle.serves[row])),
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
        "dearerBy": usd(story.dearer_by_nanos),
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


def _needs(needs: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (or_dash(row["need"]), str(row["priority"]), row["outcome"], or_dash(_why(row)))
        for row in needs
    ]
    headings = ("NEED", "PRIORITY", "OUTCOME", "WHY")
    return Table("Needs of its shard, in turn", headings, rows, "", frozenset({"PRIORITY"}))


def _why(row: Mapping[str, Any]) -> str:
    dearer, taken = row["dearerBy"], row["takenBefore"]
    by = f", by {plain_number(dearer)} USD/h" if dearer is not None else ""
    before = f"; {taken} had taken it before" if taken is not None else ""
    return f"{row['why']}{by}{before}"
