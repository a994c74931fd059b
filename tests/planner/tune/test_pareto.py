"""The search by evolution: it depends on nothing but the seed and the results."""

import math

from planner.tune.front import front_of
from planner.tune.pareto import POPULATION, evolved
from planner.tune.space import ranges_of
from planner.tune.study import present_trial
from planner.tune.totals import totals_of
from planner.tune.trial import Result
from tests.planner.tune.worlds import COST, READY, SWEPT, by_formula, effect

RANGES = ranges_of(SWEPT)
NOW = present_trial(RANGES, {COST: 1.0, READY: 0.0001})


def told(count, seed, solve=by_formula, present=NOW):
    """Run a search to its end; give the trials by generation."""
    search, generations = evolved(RANGES, present, count, seed), []
    trials = next(search)
    while True:
        generations.append(trials)
        try:
            trials = search.send([solve(trial) for trial in trials])
        except StopIteration:
            return generations


def test_it_proposes_so_many_within_the_ranges_and_the_present_weights():
    generations = told(50, 0)
    assert list(map(len, generations)) == [1, POPULATION, POPULATION, 10]
    first, *rest = [trial for trials in generations for trial in trials]
    assert first == NOW
    assert [trial.number for trial in rest] == list(range(1, 51))
    for trial in rest:
        for each in RANGES:
            assert each.low <= trial.weights[each.goal] <= each.high
    # By factors half of them lie below the middle factor, 0.01.
    low = sum(trial.weights[READY] < 0.01 for trial in generations[1])
    assert 3 <= low <= POPULATION - 3


def test_the_same_seed_and_results_give_the_same_trials():
    assert told(60, 1) == told(60, 1)
    assert told(60, 1) != told(60, 2)


def test_results_steer_it():
    backwards = told(60, 1, lambda trial: by_formula(trial) if trial.number % 2 else bad(trial))
    assert backwards[:2] == told(60, 1)[:2]
    assert backwards[2:] != told(60, 1)[2:]


def bad(trial):
    return Result(trial, (), "no")


def test_it_lives_through_failures():
    assert len(told(45, 1, bad)) == 4


def test_it_draws_near_to_what_is_better():
    def off(trial):
        return abs(math.log10(trial.weights[READY]) + 1)

    def settles(sign):
        """Give how far from 0.1 the last trials are, where ``sign`` times that is to be small."""
        found = told(100, 0, lambda trial: Result(trial, (effect({COST: sign * off(trial)}),)))
        return sum(off(trial) for trials in found[-3:] for trial in trials) / 60

    assert settles(1) < settles(-1) / 2


def test_it_finds_the_front():
    results = [by_formula(trial) for trials in told(100, 0) for trial in trials]
    vectors = totals_of(results).vectors
    front = {tuple(row) for row in vectors[front_of(vectors)].tolist()}
    assert len(front) == 5
