"""Timing: how often work runs, what is kept, and the figures made of it."""

import pytest

from planner.bench import sample
from planner.bench.sample import Timing, measure, measure_each


def timing(*seconds: float) -> Timing:
    return Timing(seconds, seconds, 0.001, 1)


def test_work_runs_as_often_as_asked_and_its_last_result_is_given():
    runs: list[int] = []

    def work() -> int:
        runs.append(len(runs))
        return runs[-1]

    taken, result = measure(work, 3)
    assert runs == [0, 1, 2]
    assert result == 2
    assert len(taken.seconds) == len(taken.cpu_seconds) == 3
    assert taken.pass_seconds > 0


def test_only_the_work_is_timed(monkeypatch):
    now = [0.0]

    def clock() -> float:
        now[0] += 1.0
        return now[0]

    def work() -> None:
        now[0] += 100.0

    monkeypatch.setattr(sample, "perf_counter", clock)
    taken, _ = measure(work, 2)
    assert taken.seconds == (101.0, 101.0)
    assert taken.pass_seconds == 1.0


def test_what_work_is_given_is_made_before_each_run_and_not_timed(monkeypatch):
    now, order = [0.0], []

    def clock() -> float:
        now[0] += 1.0
        return now[0]

    def givens():
        for number in range(2):
            order.append(f"make {number}")
            now[0] += 100.0
            yield number

    def work(number: int) -> int:
        order.append(f"run {number}")
        return number

    monkeypatch.setattr(sample, "perf_counter", clock)
    taken, result = measure_each(work, givens())
    assert order == ["make 0", "run 0", "make 1", "run 1"]
    assert taken.seconds == (1.0, 1.0)
    assert result == 1


@pytest.mark.parametrize(("runs", "slowest_left_out"), [(1, 0), (99, 0), (100, 1), (200, 2)])
def test_p99_is_the_slowest_until_there_are_a_hundred(runs, slowest_left_out):
    seconds = [float(number) for number in range(1, runs + 1)]
    assert timing(*reversed(seconds)).p99 == runs - slowest_left_out


def test_median():
    assert timing(5.0, 1.0, 2.0).median == 2.0
    assert timing(4.0, 1.0).median == 2.5
