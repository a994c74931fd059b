"""Goals in words: all of them, and by the formulas that the rebalancer goes by."""

from importlib import import_module

import pytest

from models.goal_texts import GOAL_TEXTS
from models.rules import Goal


def test_every_goal_in_order():
    assert list(GOAL_TEXTS) == list(Goal)


@pytest.mark.parametrize("goal", Goal)
def test_sentences_are_sentences(goal):
    text = GOAL_TEXTS[goal]
    for sentence in filter(None, (text.meaning, text.weight, text.note)):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
    assert " x " in text.weight
    assert text.weight_unit == f"USD per {text.unit}"


@pytest.mark.parametrize("goal", Goal)
def test_the_formula_is_that_of_the_goal_itself(goal):
    described = import_module(f"rebalancer.goals.{goal}").__doc__
    assert " ".join(GOAL_TEXTS[goal].formula.split()) in " ".join(described.split())
