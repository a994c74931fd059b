"""Where two sets of settings differ, and what that means for how plans are weighed."""

from dataclasses import dataclass
from math import isclose
from typing import Any

from models.goal_texts import GOAL_TEXTS
from models.rules import Goal
from models.settings.described import described
from models.settings.paths import leaves
from models.settings.sections import Settings
from models.settings.writing import settings_document


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting that differs: both values as plain data, and what it means, in a sentence."""

    path: str
    before: Any
    after: Any
    meaning: str


def differences(before: Settings, after: Settings) -> list[Difference]:
    """Give the settings that differ, in the order of the document."""
    old, new = (dict(leaves(settings_document(each))) for each in (before, after))
    goals = {f"goals.{goal}": goal for goal in Goal}
    return [
        Difference(
            setting.path,
            old[setting.path],
            new[setting.path],
            _reweighed(goals[setting.path], before, after)
            if setting.path in goals
            else setting.text,
        )
        for setting in described()
        if old[setting.path] != new[setting.path]
    ]


def common_factor(before: Settings, after: Settings) -> float | None:
    """Give the factor by which all goals weigh more, None where they differ in more than that.

    Then plans are the same: only the ratios of weights count. 1 where nothing differs.
    """
    pairs = [(before.goals.weight(goal), after.goals.weight(goal)) for goal in Goal]
    factors = [new / old for old, new in pairs if old and new]
    alike = all((old == 0) == (new == 0) for old, new in pairs)
    if not factors:
        return 1.0 if alike else None
    return factors[0] if alike and all(isclose(factors[0], each) for each in factors) else None


def _reweighed(goal: Goal, before: Settings, after: Settings) -> str:
    old, new = before.goals.weight(goal), after.goals.weight(goal)
    text = GOAL_TEXTS[goal]
    if not old:
        return f"Is weighed now, at {new:g} USD per {text.unit}. {text.meaning}"
    if not new:
        return f"Is weighed no more. {text.meaning}"
    return f"One {text.unit} counts {new:g} USD instead of {old:g}: {new / old:.4g} times as much."
