"""A whole sweep: stopped anywhere and gone on with, it ends as if nothing had happened."""

from concurrent.futures import Future
from contextlib import contextmanager, nullcontext

import pytest

from models.rules import Goal
from planner.tune.journal import journal_at
from planner.tune.pareto import evolved
from planner.tune.space import ranges_of
from planner.tune.study import every_point, present_trial, study
from planner.tune.trial import PRESENT, Result, Trial
from tests.planner.tune.worlds import COST, READY, SWEPT, by_formula

RANGES = ranges_of(SWEPT)
NOW = {goal: 1.0 for goal in Goal} | {READY: 0.0001}
HEAD = {"weights": list(SWEPT)}


class Counting:
    """Crews that solve by formula and, after so many trials, are interrupted."""

    def __init__(self, stop_after=None, fails=()):
        self.solved: list[int] = []
        self.left, self.fails = stop_after, fails

    @contextmanager
    def __call__(self):
        def submit(trial):
            if self.left is not None:
                if not self.left:
                    raise KeyboardInterrupt
                self.left -= 1
            self.solved.append(trial.number)
            future: Future[Result] = Future()
            if trial.number in self.fails:
                future.set_exception(ValueError("no"))
            else:
                future.set_result(by_formula(trial))
            return future

        yield submit


def proposals(search: str):
    present = present_trial(RANGES, NOW)
    return every_point(RANGES, present) if search == "grid" else evolved(RANGES, present, 45, 3)


def run(search, crew, path=None, heard=None):
    keeping = nullcontext() if path is None else journal_at(path, HEAD, lambda result: True)
    with keeping as journal:
        hear = (lambda result: None) if heard is None else heard.append
        return study(proposals(search), crew, 1, journal, hear)


def test_the_grid_has_the_present_weights_once():
    there = present_trial(RANGES, NOW)
    (trials,) = every_point(RANGES, there)
    assert [trial.number for trial in trials] == list(range(1, 10))
    assert there.weights in [trial.weights for trial in trials]
    (trials,) = every_point(RANGES, present_trial(RANGES, NOW | {COST: 0.7}))
    assert trials[0] == Trial(PRESENT, {COST: 0.7, READY: 0.0001})
    assert [trial.number for trial in trials] == list(range(10))


@pytest.mark.parametrize(("search", "count"), [("grid", 9), ("pareto", 46)])
def test_stopped_at_any_point_it_goes_on_from_there(tmp_path, search, count):
    whole = run(search, Counting())
    assert len(whole) == count
    # Of a generation of 20 the first and the last, and some between.
    for stop in range(count + 1) if count < 10 else (0, 1, 17, 21, 45):
        path, first, second = tmp_path / f"{stop}", Counting(stop), Counting()
        if stop < count:
            with pytest.raises(KeyboardInterrupt):
                run(search, first, path)
        else:
            run(search, first, path)
        heard = []
        assert run(search, second, path, heard) == whole
        # Nothing is solved twice, and every trial is heard of once.
        assert sorted(first.solved + second.solved) == sorted(r.trial.number for r in whole)
        assert sorted(result.trial.number for result in heard) == sorted(
            result.trial.number for result in whole
        )


def test_what_failed_is_tried_again(tmp_path):
    found = run("grid", Counting(fails={2, 5}), tmp_path / "j")
    assert [result.trial.number for result in found if result.failure] == [2, 5]
    again = Counting()
    assert run("grid", again, tmp_path / "j") == run("grid", Counting())
    assert again.solved == [2, 5]


def test_a_result_by_other_weights_does_not_count(tmp_path):
    with journal_at(tmp_path / "j", HEAD, lambda result: True) as journal:
        journal.add(by_formula(Trial(3, {COST: 0.3, READY: 0.3})))
    assert run("grid", Counting(), tmp_path / "j") == run("grid", Counting())
