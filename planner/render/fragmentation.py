"""Fragmentation as rows of a plain tree, and as a table."""

from collections.abc import Sequence
from typing import Any

from planner.render.table import Table, or_dash
from planner.render.trees import Row, number
from rebalancer.room.fragments import Fragment

EVERY_CLASS = "all"
"""What stands in a table for all machines together, null in a tree."""


def fragmentation_rows(before: Sequence[Fragment], after: Sequence[Fragment]) -> list[Row]:
    """Give each level and kind before and after a plan, in the order of the topology.

    ``largestGang`` is the largest that idle machines of one domain of one shard can hold,
    ``largestGangWithNew`` the same with machines that could be bought; ``fragmented`` are free
    machines in partly used domains, ``score`` their part of the free ones.
    """
    later = {(each.level, each.kind): each for each in after}
    return [
        {
            "level": each.level,
            "class": each.kind,
            "before": _counts(each),
            # A kind that has no row any more has nothing free.
            "after": _counts(
                later.get((each.level, each.kind), Fragment(each.level, each.kind, 0, 0, 0, 0))
            ),
        }
        for each in before
    ]


def fragmentation_table(rows: Sequence[dict[str, Any]], wide: bool) -> Table:
    """Give what a plan leaves, one line a level; ``wide`` has each class and how it was before."""
    more = ("FREE BEFORE", "GANG BEFORE", "SCORE BEFORE") if wide else ()
    shown = [
        (
            or_dash(row["level"]),
            *((or_dash(row["class"] or EVERY_CLASS),) if wide else ()),
            *(str(row["after"][key]) for key in ("free", "largestGang", "largestGangWithNew")),
            str(row["after"]["fragmented"]),
            f"{row['after']['score']:.1%}",
            *(_before(row["before"]) if wide else ()),
        )
        for row in rows
        if wide or row["class"] is None
    ]
    headings = (
        "LEVEL", *(("CLASS",) if wide else ()), "FREE", "LARGEST GANG", "WITH NEW",
        "IN PARTLY USED DOMAINS", "SCORE", *more,
    )  # fmt: skip
    return Table("Room for gangs", headings, shown, "", frozenset(headings[1:]) - {"CLASS"})


def _counts(each: Fragment) -> Row:
    return {
        "free": each.free,
        "largestGang": each.largest,
        "largestGangWithNew": each.largest_with_new,
        "fragmented": each.fragmented,
        "score": number(round(each.score, 6)),
    }


def _before(counts: dict[str, Any]) -> tuple[str, str, str]:
    return (str(counts["free"]), str(counts["largestGang"]), f"{counts['score']:.1%}")
