"""Trials through executors that are quick, slow, fail, break, and break again."""

import threading
import time
from collections import Counter
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputFault
from planner.tune.solve import result_of
from planner.tune.sweep import MOST_DEATHS, sweep, through
from planner.tune.trial import Result, Trial
from tests.planner.tune.worlds import COST, READY, by_formula, ground


def trials(count: int) -> list[Trial]:
    return [Trial(number, {COST: 1.0, READY: number / 9}) for number in range(1, count + 1)]


class Fragile:
    """Crews whose executor breaks with the trials in ``deadly``, or the first times at others.

    What a broken executor had under way is lost whole, as with processes.
    """

    def __init__(self, deadly=(), once=()):
        self.deadly, self.once = set(deadly), set(once)
        self.asked = Counter()
        self.crews = 0
        self.most_under_way = 0

    @contextmanager
    def __call__(self):
        self.crews += 1
        waiting: list[tuple[Trial, Future]] = []
        lock = threading.Lock()
        broken = False

        def submit(trial):
            with lock:
                return taken(trial)

        def taken(trial):
            nonlocal broken
            if broken:
                raise BrokenExecutor("gone")
            self.asked[trial.number] += 1
            future: Future = Future()
            waiting.append((trial, future))
            self.most_under_way = max(self.most_under_way, len(waiting))
            if trial.number in self.deadly | self.once:
                self.once.discard(trial.number)
                broken = True
                for _, other in waiting:
                    other.set_exception(BrokenExecutor("gone"))
                waiting.clear()
            else:
                # Done after a moment, unless it breaks before.
                threading.Timer(0.002, finish, [trial, future]).start()
            return future

        def finish(trial, future):
            with lock:
                if (trial, future) in waiting:
                    waiting.remove((trial, future))
                    future.set_result(by_formula(trial))

        yield submit


@given(st.integers(0, 6), st.sets(st.integers(1, 6), max_size=MOST_DEATHS - 1), st.integers(1, 4))
def test_whoever_dies_once_is_solved_all_the_same(count, once, room):
    crew = Fragile(once=once)
    found = sorted(sweep(trials(count), crew, room), key=lambda result: result.trial.number)
    lone = [result for result in found if result.failure]
    # Alone under way, nobody else can be to blame.
    assert all(room == 1 or crew.asked[each.trial.number] == 1 for each in lone)
    assert [result.trial for result in found] == trials(count)
    assert [r for r in found if not r.failure] == [
        by_formula(r.trial) for r in found if not r.failure
    ]


def test_a_trial_that_ends_its_worker_is_named_and_the_others_are_solved():
    crew = Fragile(deadly={3})
    found = {result.trial.number: result for result in sweep(trials(9), crew, 4)}
    assert sorted(found) == list(range(1, 10))
    assert found.pop(3).failure == "its worker died: killed, or out of memory"
    assert list(found.values()) == [by_formula(result.trial) for result in found.values()]


def test_only_deaths_one_after_the_other_count():
    found = list(sweep(trials(9), Fragile(deadly={2, 4, 6, 8}), 1))
    assert [result.trial.number for result in found if result.failure] == [2, 4, 6, 8]
    assert len(found) == 9


def test_suspects_are_solved_one_at_a_time():
    """Else the one that dies before the others are done takes them along for ever."""
    crews = []

    @contextmanager
    def crew():
        crews.append([])
        assert len(crews) < 9
        waiting, lock = [], threading.Lock()

        def end(trial, future):
            with lock:
                if trial.number == 3:
                    for other in waiting:
                        other.set_exception(BrokenExecutor("gone"))
                    waiting.clear()
                elif future in waiting:
                    waiting.remove(future)
                    future.set_result(by_formula(trial))

        def submit(trial):
            crews[-1].append(trial.number)
            future: Future = Future()
            with lock:
                waiting.append(future)
            threading.Timer(0.01 if trial.number == 3 else 0.1, end, [trial, future]).start()
            return future

        yield submit

    found = list(sweep(trials(5), crew, 4))
    assert [result.trial.number for result in found if result.failure] == [3]
    assert sorted(result.trial.number for result in found) == [1, 2, 3, 4, 5]
    assert crews[0] == [1, 2, 3, 4]


def test_where_everybody_dies_the_sweep_is_given_up():
    crew = Fragile(deadly=range(1, 100))
    with pytest.raises(InputFault, match="3 workers died one after the other"):
        list(sweep(trials(99), crew, 2))
    assert crew.crews <= MOST_DEATHS + 1


def test_an_executor_that_takes_nothing_is_given_up():
    @contextmanager
    def crew():
        def submit(trial):
            raise BrokenExecutor("never there")

        yield submit

    with pytest.raises(InputFault, match="3 workers died"):
        list(sweep(trials(2), crew, 2))


@pytest.mark.parametrize("room", [1, 3])
def test_no_more_is_under_way_than_there_is_room_for(room):
    crew = Fragile()
    assert len(list(sweep(trials(20), crew, room))) == 20
    assert crew.most_under_way == room


def test_results_come_as_they_are_done():
    @contextmanager
    def crew():
        with ThreadPoolExecutor(2) as pool:

            def slow_first(trial):
                time.sleep(0.3 if trial.number == 1 else 0)
                return by_formula(trial)

            yield lambda trial: pool.submit(slow_first, trial)

    found = [result.trial.number for result in sweep(trials(4), crew, 2)]
    assert found == [2, 3, 4, 1]


def test_a_trial_that_fails_says_why():
    @contextmanager
    def crew():
        def submit(trial):
            future: Future[Result] = Future()
            if trial.number == 2:
                future.set_exception(ZeroDivisionError("by\nzero"))
            else:
                future.set_result(by_formula(trial))
            return future

        yield submit

    found = sorted(sweep(trials(3), crew, 2), key=lambda result: result.trial.number)
    assert [result.failure for result in found] == ["", "ZeroDivisionError: by\nzero", ""]
    assert found[1].effects == ()


def test_any_executor_does(tmp_path):
    here = ground(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        found = list(sweep(trials(3), through(pool, [here, here]), 2))
    for result in found:
        expected = result_of([here, here], result.trial)
        assert [each.after for each in result.effects] == [each.after for each in expected.effects]
        assert [each.levels for each in result.effects] == [
            each.levels for each in expected.effects
        ]
