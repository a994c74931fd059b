"""How a need stands, as a plain tree and as tables."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hotpath.why.explain import ClassStory, NeedStory
from models.fleet import Fleet
from models.machine import State
from planner.explain.need import AskedNeed
from planner.explain.short import WhyShort
from planner.render.explain.cycle import by_name, fact_table, said, usd
from planner.render.explain.short import short_tables, short_tree
from planner.render.formats import Answer, Part
from planner.render.table import Table, or_dash
from planner.render.tables import action_table, plain_number
from planner.render.trees import Row, action_rows, shortfall_rows

APART = frozenset({"ordered", "loses", "classes", "words", "whyShort"})
"""What has a table of its own."""

FEW_CLASSES = 20
"""Rows that the plain table shows of classes; with more it leaves them to ``wide``."""


def need_answer(found: AskedNeed, why_short: WhyShort, name: str) -> Answer:
    """Give how a need stands, why it is short and what would change that."""
    tree = need_tree(found) | {"whyShort": short_tree(why_short)}
    # This tree holds plain values; its type says less.
    plain = cast(Mapping[str, Any], tree)

    def parts(wide: bool) -> list[Part]:
        tables: list[Part] = [fact_table(f"need {name}", plain, APART)]
        orders = [*plain["ordered"], *plain["loses"]]
        tables += [action_table(orders)] if orders else []
        tables += [*filter(None, [_plan_line(plain)]), *short_tables(plain["whyShort"])]
        if wide or len(plain["classes"]) <= FEW_CLASSES:
            tables += [_class_table(plain["classes"]), _word_table(plain["words"])]
        return tables

    return Answer(tree, lambda: [name], parts)


def _plan_line(tree: Mapping[str, Any]) -> str:
    """Say what a plan makes of a shortfall; "" of a need whose cycle leaves none."""
    shortfall, why = tree["shortfall"], tree["whyShort"]
    if shortfall is None:
        return ""
    if not why["deficit"]:
        return f"At the end of a plan (`explain FLEET plan` has its moves): {why['words']}"
    lost = why["deficit"] - shortfall["count"]
    beside = f", {lost} of which others take from it in the plan" if lost > 0 else ""
    return f"At the end of a plan it lacks {why['deficit']}{beside}."


def need_tree(found: AskedNeed) -> Row:
    """Give how a need is served, what is ordered for it, and why others do not serve it.

    As of the need's turn, ``refused`` counts each machine of the shard by the first rule that kept
    it from the need, ``lost`` those that no rule kept from it by what decided against them, and
    ``takenBefore`` those that earlier needs had taken. ``mismatches`` counts by the first
    requirement or resource of the need that a machine does not meet; ``words`` says what the names
    mean.
    """
    asked, row, story = found.asked, found.row, found.story
    fleet, need, serves = asked.fleet, asked.fleet.needs[row], asked.fleet.machines.serves
    return {
        "need": need.name,
        "cluster": need.cluster,
        "shard": fleet.shards[asked.cycle.shard].name,
        "priority": need.priority,
        "count": need.count,
        "isSilent": bool(fleet.silent[fleet.need_cluster[row]]),
        "isShadow": bool(fleet.shadow[fleet.need_cluster[row]]),
        "serving": _by_state(fleet.machines.state[serves == row]),
        "have": story.have,
        "waiting": story.waiting,
        "ordered": action_rows(fleet, [a for a in asked.actions if a.need == row]),
        "loses": action_rows(fleet, found.losing),
        "shortfall": shortfall_rows(fleet, [story.shortfall])[0] if story.shortfall else None,
        "refused": by_name(story.refused),
        "lost": by_name(story.lost),
        "takenBefore": _by_need(fleet, story.taken),
        "mismatches": dict(found.mismatches),
        "freeElsewhere": dict(found.free_elsewhere),
        "classes": [_class(fleet, each) for each in story.classes],
        "words": _words(story),
    }


def _class(fleet: Fleet, story: ClassStory) -> Row:
    return {
        "class": fleet.classes[story.class_index].name,
        "effectiveCost": usd(story.effective_cost_nanos),
        "dearerBy": usd(story.dearer_by_nanos),
        "held": story.held,
        "chosen": sum(story.chosen.values()),
        "chosenAs": by_name(story.chosen),
        "left": sum(story.lost.values()),
        "lost": by_name(story.lost),
        "refused": by_name(story.refused),
        "takenBefore": _by_need(fleet, story.taken),
    }


def _words(story: NeedStory) -> dict[str, str]:
    """Say what the names in a need's story mean, those of them that occur."""
    ways = (way for each in story.classes for way in each.chosen)
    return {word.name: str(word) for word in (*ways, *story.lost, *story.refused)}


def _by_need(fleet: Fleet, counts: Mapping[int, int]) -> dict[str, int]:
    return {fleet.needs[need].name: count for need, count in counts.items()}


def _by_state(states: np.ndarray[tuple[int], np.dtype[np.int8]]) -> dict[str, int]:
    codes, counts = np.unique(states, return_counts=True)
    pairs = zip(codes.tolist(), counts.tolist(), strict=True)
    return {State(code).name: count for code, count in pairs}


def _class_table(classes: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (
            or_dash(row["class"]),
            plain_number(row["effectiveCost"]),
            plain_number(row["dearerBy"]),
            str(row["held"]),
            said(row["chosenAs"]),
            said(row["lost"]),
            said(row["refused"]),
        )
        for row in classes
    ]
    headings = ("CLASS", "EFFECTIVE USD/H", "DEARER BY", "HELD", "CHOSEN", "LOST", "REFUSED")
    return Table("Classes of its shard, at its turn", headings, rows, "", frozenset(headings[1:4]))


def _word_table(words: Mapping[str, str]) -> Table:
    return Table("What the names mean", ("NAME", "MEANING"), [*words.items()])
