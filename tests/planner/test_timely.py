"""The best plan that is there in time, and a spare one where none is."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from worlds import World

from models.audit import audit_plan
from models.audit.laws import Law
from models.audit.violation import Violation
from models.errors import RuleBroken
from models.plan import Plan
from models.settings import Settings
from models.standing import Standing
from planner.fence.asking import dismiss
from planner.fence.process import CLOSED
from planner.progress import Progress
from planner.timely import GRACE_SECONDS, TOO_SHORT, Solved, Timing, timely
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.transfer_rules import TransferRules
from rebalancer.unmoved import lacking, unmoved

pytestmark = pytest.mark.xdist_group("fence")

LONG = 60.0


def world() -> Standing:
    one = World().shard("s0", "a").shard("s1", "b").machines("i", 4, shard="s1")
    return one.need("a/x", 3, 5).need("a/y", 3, 5).need("b/z", 2, 1).standing()


def spare() -> Plan:
    return unmoved(world(), TransferRules(), DEFAULT_GOALS, Limits(), lacking(world()))


def numbered(seed: int) -> Plan:
    return replace(spare(), seed=seed)


@pytest.fixture(autouse=True)
def no_process_of_other_tests() -> Iterator[None]:
    dismiss()
    yield
    dismiss()


def found(work, seconds: float = LONG, judge=lambda plan: (), on_progress=None) -> Solved:
    timing = Timing(time.monotonic() + seconds, time.monotonic)
    return timely(work, spare, judge, timing, on_progress)


def test_the_spare_plan_passes_the_judge_and_says_what_nobody_can_exceed():
    plan = spare()
    assert audit_plan(world(), plan, Settings()) == ()
    assert [(level.priority, level.served, level.bound) for level in plan.levels] == [
        (5, 0, 6),
        (1, 0, 2),
    ]
    assert [(unmet.need, unmet.count) for unmet in plan.unmet] == [(0, 3), (1, 3), (2, 2)]


def test_the_last_plan_counts():
    def work(say):
        say(numbered(1))
        say(numbered(2))

    assert found(work).plan.seed == 2
    assert found(work).complaint == ""


def test_where_none_is_said_it_is_the_spare_one():
    answer = found(lambda say: None)
    assert (answer.plan.seed, answer.complaint) == (0, "")


def test_what_goes_wrong_is_told_beside_the_plan():
    def work(say):
        say(numbered(1))
        say("a fault")
        say("and what came of it")

    assert (found(work).plan.seed, found(work).complaint) == (1, "a fault")


@pytest.mark.parametrize("said", [0, 1])
def test_work_that_fails_leaves_what_it_has_said(said):
    def work(say):
        for seed in range(said):
            say(numbered(seed + 1))
        raise MemoryError("no room")

    answer = found(work)
    assert (answer.plan.seed, answer.complaint) == (said, "MemoryError: no room")


@pytest.mark.parametrize(("said", "complaint"), [(0, TOO_SHORT), (1, "")])
def test_work_that_takes_too_long_leaves_what_it_has_said(said, complaint):
    def work(say):
        for seed in range(said):
            say(numbered(seed + 1))
        time.sleep(LONG)

    begun = time.monotonic()
    answer = found(work, 0.2)
    assert time.monotonic() - begun >= 0.2 + GRACE_SECONDS
    assert time.monotonic() - begun < 5.0
    assert (answer.plan.seed, answer.complaint) == (said, complaint)


def test_a_plan_a_little_late_still_counts():
    def work(say):
        time.sleep(0.2)
        say(numbered(1))

    assert found(work, 0.1).plan.seed in (0, 1)
    # By a clock that stands still there is always time.
    timing = Timing(0.0, lambda: 0.0)
    assert timely(work, spare, lambda plan: (), timing).plan.seed == 1


def test_time_that_is_up_before_it_began_leaves_the_spare_plan():
    timing = Timing(0.0, lambda: 1000.0)
    answer = timely(lambda say: time.sleep(LONG), spare, lambda plan: (), timing)
    assert (answer.plan.seed, answer.complaint) == (0, TOO_SHORT)


def test_a_spare_plan_that_the_judge_refuses_is_not_given():
    refused = [Violation(Law.NO_MOVES, "the plan", "is wrong")]
    with pytest.raises(RuleBroken):
        found(lambda say: say(numbered(1)), judge=lambda plan: refused)


def test_who_watches_hears_of_progress_and_spoils_nothing():
    steps = [Progress(1, 2, 5, -value, -9) for value in range(3)]
    seen = []

    def watch(progress):
        seen.append(progress)
        raise RuntimeError("no more of this")

    def work(say):
        for step in steps:
            say(step)
        say(numbered(1))

    assert found(work, on_progress=watch).plan.seed == 1
    assert seen == steps
    assert found(work).plan.seed == 1


def test_how_a_process_ended_that_was_lent_is_known_here(monkeypatch):
    monkeypatch.setattr("planner.fence.process.PROGRAM", "import os; os._exit(7)")
    timing = Timing(time.monotonic() + LONG, time.monotonic, loads=True)
    answer = timely(lambda say: say(CLOSED), spare, lambda plan: (), timing)
    assert "ended with 7" in answer.complaint


@pytest.mark.parametrize(("seconds", "starts"), [(0.5, False), (LONG, True)])
def test_a_process_loads_the_solver_only_where_there_is_time_for_it(monkeypatch, seconds, starts):
    begun = []
    monkeypatch.setattr("planner.fence.asking.Child.start", lambda: begun.append(1) or refuse())
    timing = Timing(time.monotonic() + seconds, time.monotonic, loads=True)
    timely(lambda say: None, spare, lambda plan: (), timing)
    assert bool(begun) is starts


def refuse() -> None:
    raise OSError(os.strerror(11))
