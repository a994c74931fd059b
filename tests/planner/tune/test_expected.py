"""What a journal may hold: results of the trials and snapshots of this sweep, and no others."""

from dataclasses import replace

import pytest

from models.rules import Goal
from planner.opening import Sources
from planner.tune.expected import Expected, Shape, shape_of
from planner.tune.request import request_of
from planner.tune.solve import result_of
from planner.tune.space import MOST_TRIALS, ranges_of
from planner.tune.trial import Result, Trial
from tests.planner.cli.fleets import write
from tests.planner.tune.worlds import COST, READY, SWEPT, trading


@pytest.fixture(scope="module")
def request_(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fleet")
    return request_of([write(folder, trading())], SWEPT, Sources(), None)


@pytest.fixture(scope="module")
def solved(request_) -> Result:
    return result_of(request_.grounds, Trial(3, {COST: 0.0, READY: 1.0}))


def test_what_was_solved_fits(request_, solved):
    (trials,) = request_.proposals()
    expected = request_.expected()
    for trial in trials:
        assert expected.fits(replace(result_of(request_.grounds, trial), trial=trial))


def test_a_result_of_a_grid_is_of_one_of_its_trials(request_, solved):
    fits = request_.expected().fits
    assert fits(solved)
    for number in (-1, 0, 2, 4, 10, 10**9):
        assert not fits(replace(solved, trial=replace(solved.trial, number=number)))
    for weights in (
        {},
        {COST: 0.0},
        {COST: 0.0, READY: 0.9},
        solved.trial.weights | {Goal.MOVES: 1.0},
    ):
        assert not fits(replace(solved, trial=Trial(3, weights)))
    for effects in ((), solved.effects * 2):
        assert not fits(replace(solved, effects=effects))


def test_a_result_of_a_search_is_within_its_ranges(request_, solved):
    search = replace(request_, trials=20).expected()
    low, high = {COST: 0.0, READY: 0.0001}, {COST: 2.0, READY: 1.0}
    present = {COST: 1.0, READY: 0.0001}

    def fits(number, weights):
        return search.fits(replace(solved, trial=Trial(number, weights)))

    assert fits(1, low)
    assert fits(MOST_TRIALS, high)
    assert fits(0, present)
    assert not fits(0, low)
    assert not fits(MOST_TRIALS + 1, low)
    for weights in (low | {COST: 2.1}, low | {READY: 0.0}, {COST: 1.0}, low | {Goal.MOVES: 1.0}):
        assert not fits(1, weights)


def test_an_effect_has_all_goals_and_levels_and_no_more_machines(request_, solved):
    (shape,), (effect,) = request_.expected().shapes, solved.effects
    assert shape == shape_of(request_.grounds[0].snapshot) or shape.fits(effect)
    (level,) = effect.levels
    most = shape.machines
    assert (most, level.asked) == (9, 3)
    fewer = dict(list(effect.after.items())[1:])
    wrong = [
        {"before": fewer}, {"after": fewer}, {"before": {}, "after": {}},
        {"levels": ()}, {"levels": (level, level)}, {"levels": (replace(level, priority=1),)},
        {"levels": (replace(level, asked=4),)}, {"levels": (replace(level, served=4),)},
        {"levels": (replace(level, bound=4),)},
        {"drained": most + 1}, {"created": most + 1}, {"seconds": -1.0},
    ]  # fmt: skip
    for fields in wrong:
        assert not shape.fits(replace(effect, **fields)), fields
    assert shape.fits(replace(effect, drained=most, created=most, seconds=0.0))


def test_goals_that_a_snapshot_is_too_coarse_for_are_not_expected(solved):
    (effect,) = solved.effects
    asked = tuple((row.priority, row.asked) for row in effect.levels)
    coarse = Shape(frozenset(effect.after) - {Goal.GANG_SPREAD}, asked, 9)
    assert not coarse.fits(effect)
    after = {goal: value for goal, value in effect.after.items() if goal != Goal.GANG_SPREAD}
    assert coarse.fits(replace(effect, before=after, after=after))


def test_each_snapshot_has_its_own_shape(solved):
    (effect,) = solved.effects
    asked = tuple((row.priority, row.asked) for row in effect.levels)
    goals = frozenset(effect.after)
    both = Expected({3: solved.trial}, None, [Shape(goals, asked, 9), Shape(goals, (), 9)])
    other = replace(effect, levels=())
    assert both.fits(replace(solved, effects=(effect, other)))
    assert not both.fits(replace(solved, effects=(other, effect)))
    assert ranges_of(SWEPT)
