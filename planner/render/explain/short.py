"""Why a need is short: as a plain tree, and as tables of the conflict and of what would help."""

from collections.abc import Mapping
from typing import Any

from planner.explain.short import WhyShort
from planner.render.table import Table, dollars, or_dash
from planner.render.trees import Row, number
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
from rebalancer.explain.wording import given_up, term_words


def short_tree(found: WhyShort) -> Row:
    """Give an answer as plain values."""
    terms = () if found.conflict is None else found.conflict.terms
    return {
        "deficit": found.deficit,
        "words": found.words,
        "conflict": [
            {
                "rule": each.term.rule.name,
                "requirement": each.term.text or None,
                "passes": each.passes,
                "withoutIt": each.alone,
                "words": term_words(each.term),
            }
            for each in terms
        ],
        "changes": [_change(rank, change) for rank, change in enumerate(found.changes, start=1)],
    }


def short_tables(tree: Mapping[str, Any]) -> list[Table]:
    """Give the conflict and the ranked changes; nothing where it lacks none."""
    if not tree["deficit"]:
        return []
    rows = [
        (
            str(change["rank"]),
            or_dash(change["words"]),
            str(change["machinesAdded"]),
            dollars(change["pricePerHour"]),
            or_dash(change["givesUp"]),
            change["kind"] + ("" if change["isTried"] else " (not tried)"),
        )
        for change in tree["changes"]
    ]
    headings = ("RANK", "CHANGE", "MACHINES", "USD/H", "GIVES UP", "BEST AT")
    numbers = frozenset({"RANK", "MACHINES", "USD/H"})
    return [
        Table("Why it is short, at the end of a plan", ("IN WORDS",), [(or_dash(tree["words"]),)]),
        Table("What would serve it", headings, rows, "", numbers),
    ]


def _change(rank: int, change: Change) -> Row:
    price = change.price_or_none
    return {
        "rank": rank,
        "kind": str(change.kind),
        "parts": [_part(part) for part in change.parts],
        "machinesAdded": change.machines_added,
        "pricePerHour": None if price is None else number(price),
        "givesUp": given_up(change) or None,
        "isTried": change.is_tried,
        "words": str(change),
    }


def _part(part: Part) -> Row:
    """Give an edit of the fleet document, or of the settings."""
    match part:
        case Add(row=row):
            return {
                "edit": "add-machines",
                "count": row.count,
                "class": part.name,
                "shard": row.shard,
                "provider": row.provider,
                "instanceType": row.instance_type or None,
                "capacityType": str(row.capacity_type),
                "labels": dict(row.labels),
            }
        case DropRequirement(text=text) | DropSame(text=text) | DropSpread(text=text):
            return {"edit": "drop", "requirement": text}
        case AskLess():
            return {"edit": "ask-less", "resource": part.resource, "amount": part.amount}
        case LowerFloor():
            return {"edit": "lower-floor", "floor": part.floor}
        case Reduce():
            left = part.count - part.by
            return {"edit": "lower-count", "need": part.name, "from": part.count, "to": left}
        case LowerGap():
            return {"edit": "set", "setting": "rebalance.min_gap", "to": part.min_gap}
