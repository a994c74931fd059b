"""Why a need is short as tables: the conflict in words, and the changes that would serve it."""

from collections.abc import Mapping
from typing import Any

from planner.render.table import Table, dollars, or_dash


def why_short_tables(tree: Mapping[str, Any] | None) -> list[Table]:
    """Give the conflict and the ranked changes; nothing where the question was not asked."""
    if tree is None or not tree["deficit"]:
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
