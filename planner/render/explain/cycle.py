"""What the stories of a need and of a machine have in common, as plain values and as tables."""

from collections.abc import Mapping
from typing import Any

from hotpath.why.losing import Lost, Way
from models.cost import NANOS_PER_USD
from models.rules import Rule
from planner.render.table import Table, or_dash
from planner.render.trees import number


def usd(nanos: int | None) -> int | float | None:
    """Give USD; None for None."""
    return None if nanos is None else number(nanos / NANOS_PER_USD)


def by_name(counts: Mapping[Way, int] | Mapping[Rule, int] | Mapping[Lost, int]) -> dict[str, int]:
    """Give counts by the names of what is counted."""
    return {verdict.name: count for verdict, count in counts.items()}


def fact_table(title: str, tree: Mapping[str, Any], apart: frozenset[str]) -> Table:
    """Give the facts of a tree, a line each, but for those told ``apart``."""
    facts = [(_heading(key), said(value)) for key, value in tree.items() if key not in apart]
    return Table(title, ("FACT", "VALUE"), facts)


def said(value: object) -> str:
    """Give a fact in words."""
    match value:
        case {"action": verb, "reason": reason}:
            return f"{verb}: {reason}" if reason else str(verb)
        case {"reason": reason, "count": count}:
            return f"{count}, {reason}"
        case dict():
            return ", ".join(f"{count} x {name}" for name, count in value.items()) or "-"
        case bool():
            return "yes" if value else "no"
    return or_dash(value)


def _heading(key: str) -> str:
    """Give ``freeElsewhere`` as ``free elsewhere``."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in key)
