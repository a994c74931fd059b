"""A line of a journal: a result as JSON, and back; what is not quite as it is written is none."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from models.errors import InputFault
from models.need import MAX_COUNT
from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.files.json_text import parse_json
from planner.tune.trial import Effect, Result, Trial

_RESULT = ("trial", "weights", "reached")
_EFFECT = ("outcome", "levels", "drained", "created", "before", "after", "late", "seconds")


def line_of(tree: Mapping[str, object]) -> bytes:
    """Write an object on one line, with the end of the line."""
    return json.dumps(tree, separators=(",", ":")).encode() + b"\n"


def object_in(line: bytes) -> dict[str, Any]:
    """Read an object.

    Raises
    ------
    ValueError
        When there is none: no JSON, too deep, a key twice, a number of thousands of digits.
    """
    try:
        value = parse_json(line.decode(), "")
    except InputFault as fault:
        raise ValueError(str(fault)) from None
    if not isinstance(value, dict):
        raise ValueError("is no JSON object.")
    return value


def tree_of(result: Result) -> dict[str, object]:
    """Give a result as plain data."""
    return {
        "trial": result.trial.number,
        "weights": dict(result.trial.weights),
        "reached": [
            {
                "outcome": each.outcome,
                "levels": [[row.priority, row.asked, row.served, row.bound] for row in each.levels],
                "drained": each.drained,
                "created": each.created,
                "before": dict(each.before),
                "after": dict(each.after),
                "late": each.is_late,
                "seconds": each.seconds,
            }
            for each in result.effects
        ],
    }


def result_in(tree: Mapping[str, Any]) -> Result:
    """Give the result again.

    Raises
    ------
    ValueError
        When something is missing, is too much, or is not of its kind.
    """
    number, weights, effects = _entries(tree, _RESULT)
    trial = Trial(_count(number), _by_goal(weights))
    return Result(trial, tuple(map(_effect, _list(effects))))


def _effect(tree: object) -> Effect:
    outcome, levels, drained, created, before, after, late, seconds = _entries(tree, _EFFECT)
    if not isinstance(late, bool):
        raise ValueError(late)
    return Effect(
        outcome=Outcome(outcome),
        levels=tuple(map(_level, _list(levels))),
        drained=_count(drained),
        created=_count(created),
        before=_by_goal(before),
        after=_by_goal(after),
        is_late=late,
        seconds=_number(seconds),
    )


def _level(row: object) -> Level:
    priority, *counts = _list(row)
    asked, served, bound = map(_count, counts)
    return Level(_whole(priority), asked, served, bound)


def _entries(tree: object, keys: Sequence[str]) -> list[Any]:
    if not isinstance(tree, Mapping) or set(tree) != set(keys):
        raise ValueError("other keys.")
    return [tree[key] for key in keys]


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("no list.")
    return value


def _by_goal(tree: object) -> dict[Goal, float]:
    if not isinstance(tree, Mapping):
        raise ValueError("no mapping.")
    return {Goal(name): _number(value) for name, value in tree.items()}


def _number(value: object) -> float:
    # Compared as it is: an integer may be too large for a float. NaN compares false.
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:  # type: ignore[arg-type]
        raise ValueError("no finite number.")
    return float(value)  # type: ignore[arg-type]


def _whole(value: object) -> int:
    # True is an int.
    if type(value) is not int or abs(value) > MAX_COUNT:
        raise ValueError("no whole number.")
    return value


def _count(value: object) -> int:
    if _whole(value) < 0:
        raise ValueError("no count.")
    return _whole(value)
