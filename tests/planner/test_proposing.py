"""Plans on the way: judged, none worse than the one before, no step without time for it."""

import os
import time
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import World, random_world

from models.audit import audit_plan
from models.outcome import Outcome
from models.plan import Plan
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from planner.fence.asking import LATE
from planner.solving import Proposing, affordable, propose, solved
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.wide.stage import FEWEST, SHARE, WIDE_FROM, first_of, most_pairs

pytestmark = pytest.mark.xdist_group("fence")

SETTINGS = Settings(rebalance=RebalanceSettings(min_gap=2, workers=1))
DEADLINE = 1000.0


class Jumping:
    """A clock that goes on by ``jump`` seconds at each look."""

    def __init__(self, jump: float) -> None:
        self.now, self.jump = 0.0, jump

    def __call__(self) -> float:
        self.now += self.jump
        return self.now


def world():
    return random_world(4, spread=True).standing()


def said(monkeypatch, jump: float, *, standing=None, wide: bool = False, first: bool = False):
    """Propose; give what is said, and how many seconds each question was asked for."""
    standing = world() if standing is None else standing
    asked: list[tuple[str, float]] = []
    nows: list[float] = []

    @contextmanager
    def ask(name, question, seconds, on_better=None):
        asked.append((name, seconds))
        nows.append(clock.now)
        yield SimpleNamespace(claim=lambda seconds: (None, LATE))

    monkeypatch.setattr("planner.solving.asking", partial(ask, "search"))
    monkeypatch.setattr("planner.solving.asking_wide", partial(ask, "wide"))
    if wide:
        monkeypatch.setattr("planner.solving.most_pairs", lambda limits: 0)
    if first:
        monkeypatch.setattr("planner.solving.first_of", partial(first_of, most=0))
    clock, told = Jumping(jump), []
    snapshot = snapshot_of(standing, rules_from(SETTINGS))
    proposing = Proposing(lambda plan: audit_plan(standing, plan, SETTINGS), DEADLINE, told.append)
    propose(snapshot, DEFAULT_GOALS, Limits(DEADLINE, clock=clock), None, proposing)
    for (name, seconds), now in zip(asked, nows, strict=True):
        # Half of what is left, less what it takes to draw up, name and judge once more.
        redrawn = 4 * jump if name == "wide" else 0.0
        share = SHARE if name == "wide" else 1.0
        assert seconds <= share * (DEADLINE - now + jump) - redrawn
    plans = [value for value in told if isinstance(value, Plan)]
    assert all(audit_plan(standing, plan, SETTINGS) == () for plan in plans)
    assert all(served(one) <= served(two) for one, two in pairwise(plans))
    return plans, [value for value in told if isinstance(value, str)], asked


def served(plan: Plan) -> tuple[int, ...]:
    return tuple(level.served for level in plan.levels)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_with_all_the_time_there_is_everything_is_asked(monkeypatch, wide, first):
    plans, complaints, asked = said(monkeypatch, 0.0, wide=wide, first=first)
    assert len(plans) == 1 + first
    assert [name for name, _ in asked] == ["wide", "search"][not wide :]
    assert all(0 < seconds < DEADLINE for _, seconds in asked)
    # That a wide question is late is no fault; of the search it is told.
    assert complaints == [LATE]


@pytest.mark.parametrize("wide", [False, True])
def test_when_time_is_up_the_first_plan_is_said_and_nothing_asked(monkeypatch, wide):
    plans, complaints, asked = said(monkeypatch, DEADLINE, wide=wide, first=True)
    assert plans
    assert (complaints, asked) == ([], [])


def test_no_question_is_asked_for_longer_than_is_left(monkeypatch):
    kinds = set()
    for jump in (1.0, 20.0, 60.0, 120.0, 150.0, 200.0, 300.0):
        _, _, asked = said(monkeypatch, jump, wide=True, first=True)
        kinds.add(tuple(name for name, _ in asked))
        assert all(0 <= seconds < DEADLINE for _, seconds in asked)
    assert {(), ("wide", "search")} <= kinds


def test_where_nothing_can_move_nothing_is_asked(monkeypatch):
    alone = World().shard("s0", "a").need("a/x", 3, 5).standing()
    plans, complaints, asked = said(monkeypatch, 0.0, standing=alone)
    assert [plan.outcome for plan in plans] == [Outcome.OPTIMAL]
    assert (complaints, asked) == ([], [])


def test_a_greedy_plan_that_breaks_a_rule_is_told_and_not_given(monkeypatch):
    monkeypatch.setattr("planner.solving.asking", None)
    told = []
    proposing = Proposing(lambda plan: ["is wrong", "and worse"], 0.0, told.append)
    propose(snapshot_of(world()), DEFAULT_GOALS, Limits(), None, proposing)
    assert told == ["is wrong; and worse"]


def test_a_slow_first_plan_leaves_less_to_be_drawn_up(monkeypatch):
    asked = []

    def spy(snapshot, goals, limits, most):
        asked.append(most)

    monkeypatch.setattr("planner.solving.stage_of", spy)
    monkeypatch.setattr("planner.solving.FEWEST", 3)
    for jump in (0.0, 0.1, 1.0, DEADLINE):
        said(monkeypatch, jump, first=True)
    assert asked[0] == most_pairs(Limits(DEADLINE))
    assert asked[0] > asked[1] > asked[2] > asked[3] == 3


def test_what_is_affordable_goes_by_the_pace():
    assert affordable(1000, 2.0, 10.0) == 7500
    assert affordable(1000, 0.0, 10.0) == WIDE_FROM
    assert affordable(1000, 2.0, 0.1) == affordable(1000, 2.0, -9.0) == FEWEST


def test_a_later_plan_that_serves_less_is_not_said(monkeypatch):
    """The few pairs of the first plan may by chance be the better ones."""
    levels = iter(((5,), (4,), (5,)))
    plans = []

    def worse(task):
        plan = SimpleNamespace(levels=[SimpleNamespace(served=n) for n in next(levels)])
        plans.append(plan)
        return plan

    monkeypatch.setattr("planner.solving.greedy_plan", worse)
    monkeypatch.setattr("planner.solving.first_of", partial(first_of, most=0))
    told = []
    proposing = Proposing(lambda plan: (), 0.0, told.append)
    propose(snapshot_of(world()), DEFAULT_GOALS, Limits(), None, proposing)
    assert told == plans[:1]
    assert len(plans) == 2


BUSY = os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


@pytest.mark.skipif(BUSY, reason="others take most of the processor")
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.2, 1.0]), st.booleans())
def test_a_plan_is_there_by_the_deadline_and_passes_the_judge(seed, deadline, spread):
    standing = random_world(seed, spread=spread).standing()
    asked = Settings(rebalance=RebalanceSettings(deadline=deadline, min_gap=2, workers=1))
    begun = time.monotonic()
    answer = solved(standing, asked)
    assert time.monotonic() - begun <= deadline + 0.5
    assert answer.plan.seconds <= deadline + 0.5
    assert audit_plan(standing, answer.plan, asked) == ()
    assert answer.complaint in ("", LATE)


@pytest.mark.skipif(BUSY, reason="others take most of the processor")
@pytest.mark.parametrize("deadline", [0.05, 0.5])
def test_nor_is_one_late_for_a_fleet_that_cannot_be_drawn_up_by_then(deadline):
    from benchmarks.lanes import standing as lanes

    crowd = lanes(2_000_000)
    asked = Settings(rebalance=RebalanceSettings(deadline=deadline, workers=1))
    answer = solved(crowd, asked)
    assert answer.plan.seconds <= deadline + 0.5
    assert audit_plan(crowd, answer.plan, asked) == ()
