"""What a sweep shows, put together."""

import pytest

from models.rules import Goal
from planner.tune.judgement import judged
from planner.tune.trial import Result, Trial
from tests.planner.tune.worlds import COST, READY, effect

PRESENT = dict.fromkeys(Goal, 0.0) | {COST: 1.0, READY: 0.1, Goal.MOVES: 2.0}


def result(number, cost, ready, after, **fields) -> Result:
    return Result(Trial(number, {COST: cost, READY: ready}), (effect(after, **fields),))


def curve(*more):
    """Give three results on a bent front, worst in the middle of the weights."""
    return [
        result(3, 1.0, 9.0, {COST: 9.0, READY: 0.0}),
        result(1, 1.0, 0.1, {COST: 0.0, READY: 90.0}),
        result(2, 1.0, 1.0, {COST: 2.0, READY: 10.0}),
        *more,
    ]


def test_trials_are_in_order_and_marked():
    found = judged(curve(), PRESENT)
    assert [each.trial.number for each in found.results] == [1, 2, 3]
    assert (found.present, found.knee, found.front.tolist()) == (0, 1, [True] * 3)
    assert (found.row_of(3), found.row_of(9)) == (2, None)
    assert found.cost.tolist() == [0 + 9, 2 + 1, 9]


def test_what_failed_stands_apart():
    failed = Result(Trial(4, {COST: 0.0, READY: 0.0}), (), "no")
    found = judged(curve(failed), PRESENT)
    assert found.failed == [failed]
    assert len(found.results) == 3


def test_what_varies_by_most_usd_comes_first():
    after = {COST: 5.0, READY: 60.0, Goal.GANG_SPREAD: 7.0, Goal.SPOT_DIVERSITY: 8.0}
    found = judged([result(1, 1, 1, {}), result(2, 1, 2, after)], PRESENT)
    assert found.trading == (READY, COST, Goal.SPOT_DIVERSITY, Goal.GANG_SPREAD)
    assert set(found.constant) == set(Goal) - set(after)


@pytest.mark.parametrize("fields", [{"served": 4}, {"drained": 1}, {"created": 1}])
def test_a_trial_that_serves_less_or_moves_more_is_no_knee(fields):
    """It would be, by its goals alone."""
    worse = result(4, 5.0, 5.0, {COST: 0.5, READY: 0.5}, **fields)
    found = judged(curve(worse), PRESENT)
    assert found.front[3]
    assert found.knee == 1


def test_of_trials_as_good_as_the_knee_the_present_weights_stay():
    same = result(4, 1.0, 0.1, {COST: 2.0, READY: 10.0})
    first = result(1, 1.0, 0.2, {COST: 0.0, READY: 90.0})
    found = judged([first, *curve()[::2], same], PRESENT)
    assert (found.present, found.knee) == (3, 3)


def test_only_a_grid_says_what_is_idle_and_what_dominates():
    grid = [
        result(1, 0.0, 0.0, {COST: 1.0}),
        result(2, 0.0, 1.0, {COST: 2.0}),
        result(3, 1.0, 0.0, {COST: 3.0}),
        result(4, 1.0, 1.0, {COST: 3.0}),
    ]
    found = judged(grid, PRESENT)
    assert (found.idle, found.dominating) == ((), {COST: 1.0})
    found = judged(grid, PRESENT, is_grid=False)
    assert (found.idle, found.dominating) == ((), {})
    still = [result(n, a, b, {}) for n, (a, b) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)])]
    assert judged(still, PRESENT).idle == (COST, READY)
    assert judged(still, PRESENT).knee == 0
