"""Trees of answers as tables for people: alike rows in one line, or all in full (``wide``)."""

from collections.abc import Sequence
from typing import Any

from planner.render.details import MachineDetails
from planner.render.summary import Purchase
from planner.render.table import Table, brief, dollars, or_dash

Rows = Sequence[dict[str, Any]]

_COUNTS = frozenset({"COUNT", "PRIORITY", "ASKED", "SERVED", "BOUND", "GAP", "WINDOW"})
_MONEY = frozenset({"WEIGHT", "BEFORE", "AFTER", "COST", "AT LEAST", "USD/H", "USD/H EACH"})


def action_table(actions: Rows, title: str = "Actions") -> Table:
    """Give orders, one line for all alike but in machine and reason."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in actions:
        key = tuple(row[k] for k in ("shard", "action", "cluster", "need", "graceSeconds"))
        groups.setdefault(key, []).append(row)
    rows = [
        (
            or_dash(shard),
            action,
            str(len(members)),
            brief([row["machine"] for row in members]),
            or_dash(cluster),
            or_dash(need),
            seconds(grace),
            _shared([row["reason"] for row in members]),
        )
        for (shard, action, cluster, need, grace), members in groups.items()
    ]
    headings = ("SHARD", "ACTION", "COUNT", "MACHINES", "CLUSTER", "NEED", "GRACE", "WHY")
    return Table(title, headings, rows, "Nothing to do.", _COUNTS)


def wide_action_table(actions: Rows, details: Sequence[MachineDetails]) -> Table:
    """Give orders, each in a line; ``details`` has one entry for each."""
    rows = [
        (
            or_dash(row["shard"]),
            row["action"],
            or_dash(row["machine"]),
            or_dash(row["cluster"]),
            or_dash(row["need"]),
            seconds(row["graceSeconds"]),
            or_dash(detail.instance_type),
            detail.capacity_type,
            or_dash(detail.zone),
            dollars(detail.price_per_hour),
            or_dash(row["reason"]),
        )
        for row, detail in zip(actions, details, strict=True)
    ]
    headings = (
        "SHARD", "ACTION", "MACHINE", "CLUSTER", "NEED", "GRACE", "TYPE", "CAPACITY", "ZONE",
        "USD/H", "WHY",
    )  # fmt: skip
    return Table("Actions", headings, rows, "Nothing to do.", _MONEY)


def shortfall_table(shortfalls: Rows) -> Table:
    """Give what stays short and why."""
    rows = [
        (
            or_dash(row["need"]),
            or_dash(row["cluster"]),
            str(row["priority"]),
            str(row["count"]),
            row["reason"],
        )
        for row in shortfalls
    ]
    headings = ("NEED", "CLUSTER", "PRIORITY", "COUNT", "WHY")
    return Table("Short", headings, rows, "Nothing is short.", _COUNTS)


def level_table(levels: Rows) -> Table:
    """Give what is served at each priority, and how far from the proven best that is."""
    rows = [
        (
            str(row["priority"]),
            str(row["asked"]),
            str(row["served"]),
            str(row["bound"]),
            f"{row['gap']:.2%}",
        )
        for row in levels
    ]
    headings = ("PRIORITY", "ASKED", "SERVED", "BOUND", "GAP")
    return Table("Served by priority", headings, rows, "", _COUNTS)


def move_table(moves: Rows, wide: bool) -> Table:
    """Give the moves; ``wide`` names all machines and what must still hold."""
    more = ("CLASS", "WINDOW", "EXPIRES", "ONLY IF") if wide else ()
    rows = [
        (
            row["id"],
            row["unit"],
            row["kind"],
            str(row["count"]),
            ", ".join(map(or_dash, row["machines"])) if wide else brief(row["machines"]),
            or_dash(row["from"]),
            or_dash(row["to"]),
            or_dash(row["need"]),
            or_dash(row["reason"]),
            *(_move_rest(row) if wide else ()),
        )
        for row in moves
    ]
    headings = ("MOVE", "UNIT", "KIND", "COUNT", "MACHINES", "FROM", "TO", "NEED", "WHY", *more)
    return Table("Moves", headings, rows, "No machine moves.", _COUNTS)


def cluster_table(clusters: Rows) -> Table:
    """Give the clusters that change their shard."""
    rows = [(or_dash(row["cluster"]), or_dash(row["from"]), or_dash(row["to"])) for row in clusters]
    return Table("Clusters", ("CLUSTER", "FROM", "TO"), rows, "", _COUNTS)


def shard_table(shards: Rows) -> Table:
    """Give the shards that come and go."""
    rows = [(or_dash(row["shard"]), row["change"]) for row in shards]
    return Table("Shards", ("SHARD", "CHANGE"), rows, "", _COUNTS)


def unmet_table(unmet: Rows) -> Table:
    """Give what stays short of what the plan was asked for."""
    rows = [(or_dash(row["need"]), str(row["count"]), row["reason"]) for row in unmet]
    return Table("Still short", ("NEED", "COUNT", "WHY"), rows, "Nothing stays short.", _COUNTS)


def purchase_table(purchases: Sequence[Purchase]) -> Table:
    """Give what is bought and what that costs an hour."""
    rows = [
        (
            str(row.count),
            or_dash(row.instance_type),
            row.capacity_type,
            dollars(row.price_per_hour),
            dollars(row.cost_per_hour),
        )
        for row in purchases
    ]
    headings = ("COUNT", "TYPE", "CAPACITY", "USD/H EACH", "USD/H")
    return Table("Bought", headings, rows, "Nothing is bought.", _COUNTS | _MONEY)


def displaced_table(displaced: Rows) -> Table:
    """Give what victims lose."""
    rows = [(or_dash(row["need"]), str(row["count"])) for row in displaced]
    return Table("Loses machines", ("NEED", "COUNT"), rows, "", _COUNTS)


def goal_table(goals: dict[str, dict[str, Any]]) -> Table:
    """Give the goals before and after, and what they cost."""
    rows = [
        (name, *(plain_number(goal[k]) for k in ("weight", "before", "after", "cost", "bound")))
        for name, goal in goals.items()
    ]
    headings = ("GOAL", "WEIGHT", "BEFORE", "AFTER", "COST", "AT LEAST")
    return Table("Goals", headings, rows, "", _MONEY)


def alternative_lines(alternatives: Rows, goals: dict[str, dict[str, Any]]) -> list[str]:
    """Say what each other choice would have given, and for what."""
    lines = []
    for other in alternatives:
        name, after = other["goal"], other["goals"]
        worse = [
            f"{goal} {plain_number(after[goal])} instead of {plain_number(goals[goal]['after'])}"
            for goal in after
            if after[goal] > goals[goal]["after"] and goal != name
        ]
        lines.append(
            f"What else: {name} could be {plain_number(after[name])} instead of "
            f"{plain_number(goals[name]['after'])}, for {dollars(other['extraCost'])} more in "
            f"all: {'; '.join(worse)}."
        )
    return lines


def seconds(value: float | None) -> str:
    """Give a length of time for a cell."""
    return "-" if value is None else f"{value:g}s"


def plain_number(value: float | None) -> str:
    """Give a number with at most four decimals, none of them idle."""
    if value is None:
        return "-"
    # Adding 0 makes the negative zero, which a rounded hair below 0 is, a plain one.
    return f"{round(value, 4) + 0.0:,.4f}".rstrip("0").rstrip(".")


def _move_rest(row: dict[str, Any]) -> tuple[str, ...]:
    holds = "; ".join(row["preconditions"])
    return (or_dash(row["class"]), str(row["window"]), seconds(row["expires"]), or_dash(holds))


def _shared(reasons: Sequence[str]) -> str:
    """Give the first reason, and say so where there are others."""
    return or_dash(reasons[0]) + (" (and others)" if len(set(reasons)) > 1 else "")
