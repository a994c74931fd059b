"""A finished sweep: which trial stands for those with the same result."""

from dataclasses import replace

import pytest

from models.rules import Goal
from planner.tune.judgement import judged
from planner.tune.space import Range
from planner.tune.trial import Result, Trial
from planner.tune.tuned import Tuned
from tests.planner.tune.worlds import COST, effect

WEIGHTS = dict.fromkeys(Goal, 1.0)


def swept(**marks: int | None) -> Tuned:
    """Give trials 1 to 6, of which odd ones and even ones have one result each."""
    results = [Result(Trial(n, {COST: float(n)}), (effect({COST: n % 2}),)) for n in range(1, 7)]
    judgement = replace(judged(results, WEIGHTS), **marks)
    return Tuned([("fleet", "abc")], (Range(COST, 1, 6, 6, False),), WEIGHTS, judgement)


@pytest.mark.parametrize(
    ("knee", "present", "rows"),
    [(None, None, [0, 1]), (4, None, [4, 1]), (None, 3, [0, 3]), (4, 2, [4, 1]), (5, 0, [0, 5])],
)
def test_the_marked_one_stands_for_its_like(knee, present, rows):
    tuned = swept(knee=knee, present=present)
    assert tuned.rows_alike() == [[0, 2, 4], [1, 3, 5]]
    assert [tuned.row_for(group) for group in tuned.rows_alike()] == rows
