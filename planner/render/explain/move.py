"""Why a move and why not something else, as tables for people."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from planner.explain.move import AskedMove, AskedMoves
from planner.render.explain.move_trees import move_tree, moves_tree
from planner.render.formats import Answer, Part
from planner.render.table import Table, or_dash
from planner.render.tables import move_table, plain_number
from planner.render.trees import Row

_NUMBERS = frozenset(
    {
        "WEIGHT",
        "PLAN",
        "INSTEAD",
        "DIFFERENCE",
        "USD",
        "GOALS USD",
        "CHANGE",
        "COUNT",
        "MACHINES",
        "FLIPS AT",
    }
)


def moves_answer(found: AskedMoves) -> Answer:
    """Give all moves of a plan, each with its reason and what it is worth by itself."""
    tree = moves_tree(found)
    moves = _plain(tree)["moves"]

    def parts(wide: bool) -> list[Part]:
        rows = [
            (
                row["id"],
                row["unit"],
                row["kind"],
                str(row["count"]),
                or_dash(row["need"]),
                plain_number(row["byItselfUsd"]),
                or_dash(row["reason"]),
            )
            for row in moves
        ]
        headings = ("MOVE", "UNIT", "KIND", "COUNT", "NEED", "GOALS USD", "WHY")
        return [Table("Moves", headings, rows, "No machine moves.", _NUMBERS)]

    return Answer(tree, lambda: [row["id"] for row in moves], parts)


def move_answer(found: AskedMove, name: str) -> Answer:
    """Give what a move is for, or what was asked for instead, and what that would change."""
    tree = move_tree(found)
    plain = _plain(tree)

    def parts(wide: bool) -> list[Part]:
        shown: list[Part] = []
        if "move" in plain:
            shown.append(move_table([plain["move"]], wide))
        if plain.get("byItself"):
            shown.append(_by_itself(plain))
        asked = plain["asked"]
        shown.append(f"{asked[0].upper()}{asked[1:]}: {plain['answer']}")
        if plain["refused"]:
            shown += _refused(plain["refused"])
        if plain["instead"]:
            shown += _instead(plain["instead"], wide)
        return shown

    return Answer(tree, lambda: [name], parts)


def _by_itself(plain: Mapping[str, Any]) -> Table:
    rows = [
        (goal, plain_number(row["change"]), plain_number(row["usd"]))
        for goal, row in plain["byItself"].items()
    ]
    rows.append(("all", "-", plain_number(plain["byItselfUsd"])))
    return Table("What it changes by itself", ("GOAL", "CHANGE", "USD"), rows, "", _NUMBERS)


def _refused(refused: Mapping[str, Any]) -> list[Part]:
    counts = [(rule, str(count)) for rule, count in refused["machines"].items()]
    table = Table("Refused by", ("RULE", "MACHINES"), counts, "", _NUMBERS)
    shown: list[Part] = [table] if len(counts) > 1 else []
    return [*shown, f"What would change that: {refused['remedy']}"]


def _instead(instead: Mapping[str, Any], wide: bool) -> list[Part]:
    proven = "" if instead["isProven"] else "There may be a better plan for that: time ran out."
    return [
        _steps(instead),
        _goals(instead, wide),
        _moves(instead["moves"], wide),
        *([proven] if proven else []),
    ]


def _steps(instead: Mapping[str, Any]) -> Table:
    levels = [(f"served at {row['priority']}", row) for row in instead["levels"]]
    counts = [*levels, *((name, instead[name]) for name in ("drained", "created", "unpriced"))]
    rows = [(name, *_change(row)) for name, row in counts if row["difference"]]
    headings = ("MACHINES", "PLAN", "INSTEAD", "DIFFERENCE")
    return Table("Before the goals", headings, rows, "", _NUMBERS - {"MACHINES"})


def _goals(instead: Mapping[str, Any], wide: bool) -> Table:
    at = _flips(instead)
    rows = [
        (
            goal,
            plain_number(row["weight"]),
            *_change(row),
            plain_number(row["usd"]),
            _joined(at.get(goal, [])),
        )
        for goal, row in instead["goals"].items()
        if wide or row["difference"] or goal in at
    ]
    off = [goal for goal in at if goal not in instead["goals"]]
    rows += [(goal, "0", "-", "-", "-", "-", _joined(at[goal])) for goal in off]
    rows.append(("all", "-", "-", "-", "-", plain_number(instead["usd"]), "-"))
    headings = ("GOAL", "WEIGHT", "PLAN", "INSTEAD", "DIFFERENCE", "USD", "FLIPS AT")
    return Table("Goals", headings, rows, "", _NUMBERS)


def _flips(instead: Mapping[str, Any]) -> dict[str, list[str]]:
    """Give in words, by goal, on which side of which weight the choice is another; ? if unknown."""
    said = {goal: ["?"] for goal in instead["unknownFlips"] or ()}
    for flip in instead["flips"] or ():
        tied = " (tied)" if flip["isTied"] else ""
        said.setdefault(flip["goal"], []).append(f"{flip['side']} {flip['at']:.6g}{tied}")
    return said


def _moves(moves: list[dict[str, Any]], wide: bool) -> Table:
    table = move_table(moves, wide)
    return Table("Moves instead", table.headings, table.rows, "", table.numbers)


def _change(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return (
        plain_number(row["plan"]),
        plain_number(row["instead"]),
        plain_number(row["difference"]),
    )


def _joined(texts: Sequence[str]) -> str:
    return ", ".join(texts) or "-"


def _plain(tree: Row) -> dict[str, Any]:
    # These trees hold plain values; their type says less.
    return cast(dict[str, Any], tree)
