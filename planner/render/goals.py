"""What goals are, as an answer for every format."""

from collections.abc import Sequence

from models.goal_texts import GOAL_TEXTS
from models.rules import Goal
from models.settings import Settings
from planner.render.formats import Answer, Part
from planner.render.settings import plain_value
from planner.render.table import Table, or_dash


def goals_answer(goals: Sequence[Goal], settings: Settings) -> Answer:
    """Give unit, formula and meaning of goals, and how much they weigh; one alone as facts."""
    tree = {"goals": {str(goal): _facts(goal, settings) for goal in goals}}

    def parts(wide: bool) -> list[Part]:
        if len(goals) == 1:
            facts = [
                (_HEADINGS[key], _cell(value)) for key, value in _facts(goals[0], settings).items()
            ]
            return [Table(f"Goal {goals[0]}", ("FACT", "VALUE"), facts)]
        keys = tuple(_HEADINGS) if wide else ("weight", "unit", "meaning")
        rows = [
            (str(goal), *(_cell(_facts(goal, settings)[key]) for key in keys)) for goal in goals
        ]
        headings = ("GOAL", *(_HEADINGS[key].upper() for key in keys))
        return [Table("Goals", headings, rows, "", frozenset({"WEIGHT", "DEFAULT"}))]

    return Answer(tree, lambda: [str(goal) for goal in goals], parts)


_HEADINGS = {
    "weight": "weight",
    "default": "default",
    "weightUnit": "unit of the weight",
    "unit": "unit",
    "meaning": "meaning",
    "weightMeans": "a weight of x",
    "formula": "formula",
    "note": "note",
}


def _facts(goal: Goal, settings: Settings) -> dict[str, str | float | None]:
    text = GOAL_TEXTS[goal]
    return {
        "weight": settings.goals.weight(goal),
        "default": Settings().goals.weight(goal),
        "weightUnit": text.weight_unit,
        "unit": text.unit,
        "meaning": text.meaning,
        "weightMeans": text.weight,
        "formula": text.formula,
        "note": text.note or None,
    }


def _cell(value: str | float | None) -> str:
    return or_dash(value) if value is None or isinstance(value, str) else plain_value(value)
