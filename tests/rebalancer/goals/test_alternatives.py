"""What the other choice would have been: told where goals conflict, right, and never believed."""

from dataclasses import replace

import numpy as np
import pytest
from worlds import RACK, World

from models import labels
from models.builder import FleetBuilder
from models.fleet import Ints
from models.plan import Plan
from models.rules import Goal
from rebalancer.limits import Limits
from rebalancer.question import Question, believed
from rebalancer.search import search
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import Task, begin, plan_of, solve

SPINE = "spine"
BOTH = {Goal.PREEMPTION_DAMAGE: 1.0, Goal.GANG_SPREAD: 2.0}


def torn(risk: float = 0.0, cheap: float = 1.0) -> World:
    """Give a gang of 2: dear victims in one rack, cheap ones, which may be risky, in two."""
    world = World(FleetBuilder(topology=(SPINE, RACK))).shard("s0", "a").shard("s1", "b")
    for rack, count, penalty in (("r0", 2, 100.0), ("r1", 1, cheap), ("r2", 1, cheap)):
        place = {SPINE: "p0", RACK: rack}
        given = {"interruption_probability": risk if penalty == cheap else 0.0, "labels": place}
        world.running(rack, count, "b/y", shard="s1", reclamation_penalty=penalty, **given)
    world.need("a/x", 2, 900_000, same=SPINE, interruption_penalty=25.0)
    return world.need("b/y", 4, 0)


def planned(world: World, weights: dict[Goal, float]) -> Plan:
    return solve(snapshot_of(world.standing()), weights, Limits(None))


def test_fewest_racks_against_least_damage_is_told():
    plan = planned(torn(), BOTH)
    assert [plan.goals[goal].after for goal in BOTH] == [2, 1]
    (other,) = (other for other in plan.alternatives if other.goal is Goal.GANG_SPREAD)
    assert dict(other.after) == {Goal.PREEMPTION_DAMAGE: 200, Goal.GANG_SPREAD: 0}
    assert other.extra_usd == pytest.approx(198 - 2)


def test_the_other_goal_is_told_where_it_loses():
    plan = planned(torn(), BOTH | {Goal.GANG_SPREAD: 1000.0})
    assert [plan.goals[goal].after for goal in BOTH] == [200, 0]
    (other,) = plan.alternatives
    assert (other.goal, other.after[Goal.PREEMPTION_DAMAGE]) == (Goal.PREEMPTION_DAMAGE, 2)
    assert other.extra_usd == pytest.approx(1000 - 198)


def test_those_that_lose_most_are_told_first_and_no_more_than_a_few(monkeypatch):
    """Two risky machines cost the gang 5 USD, two racks 2 USD; neither is worth 198."""
    weights = BOTH | {Goal.INTERRUPTION_RISK: 1.0}
    losing = [Goal.INTERRUPTION_RISK, Goal.GANG_SPREAD]
    assert [other.goal for other in planned(torn(0.1), weights).alternatives] == losing
    monkeypatch.setattr("rebalancer.search.alternatives.MOST", 1)
    assert [other.goal for other in planned(torn(0.1), weights).alternatives] == losing[:1]


def test_goals_that_agree_have_no_alternative():
    world = torn()
    world.machines("i", 2, shard="s1", labels={SPINE: "p0", RACK: "r3"})
    assert planned(world, BOTH).alternatives == ()
    assert planned(torn(), {Goal.PREEMPTION_DAMAGE: 1.0}).alternatives == ()


def test_without_time_for_it_nothing_is_told():
    """The clock stands still until the plan is proven, and is up from then on."""
    task = task_of(torn())
    asked = replace(task.question, limits=Limits(seconds=5.0, clock=lambda: now))
    now = 0.0
    told: list[bool] = []

    def hear(found: object) -> None:
        nonlocal now
        told.append(found.proven)
        if found.proven and None not in found.single_bounds:
            now = 100.0

    found = search(asked, hear)
    assert found.proven
    assert told[-1]
    assert found.alternatives == {}


def test_a_small_loss_is_no_conflict():
    """One rack for 200 USD, where two are to be had for 190."""
    plan = planned(torn(cheap=95.0), BOTH | {Goal.GANG_SPREAD: 1000.0})
    assert [plan.goals[goal].after for goal in BOTH] == [200, 0]
    assert plan.alternatives == ()


def test_a_search_that_finds_no_less_is_no_alternative(monkeypatch):
    monkeypatch.setattr("rebalancer.search.alternatives.walk", lambda *asked: None)
    found = search(task_of(torn()).question)
    assert found.proven
    assert found.alternatives == {}


def task_of(world: World) -> Task:
    return begin(snapshot_of(world.standing()), BOTH, Limits(None))


def best_of(question: Question, single: int, every: list[Ints], rank: tuple[int, ...]) -> Ints:
    """Give the counts that a lexicographic search by hand would: the single, then the sum."""
    equal = [counts for counts in every if question.key(counts)[:-1] == rank[:-1]]
    return min(
        equal, key=lambda c: (question.singles[single].value(c), question.key(c)[-1])
    )  # fmt: skip


def test_an_alternative_is_the_best_of_its_kind():
    task = task_of(torn())
    question, found = task.question, search(task.question)
    ranges = np.indices([most + 1 for most in question.shape.most.tolist()])
    every = [c for c in ranges.reshape(len(question.shape), -1).T if question.shape.holds(c)]
    assert found.alternatives
    for single, counts in found.alternatives.items():
        best = best_of(question, single, every, question.key(found.counts))
        expression = question.singles[single]
        assert expression.value(counts) == expression.value(best)
        assert question.key(counts) == question.key(best)


@pytest.mark.parametrize("wrong", ["too many", "fewer served", "no less"])
def test_an_alternative_that_is_none_is_not_believed(wrong: str):
    task = task_of(torn())
    found = search(task.question)
    counts = {
        "too many": task.question.shape.most + 1,
        "fewer served": np.zeros(len(task.question.shape), dtype=np.int64),
        "no less": found.counts,
    }[wrong]
    claim = replace(found, alternatives={1: counts})
    left, complaint = believed(task.question, claim)
    assert complaint == "the solver claims an alternative that is none"
    assert (left.proven, left.alternatives) == (True, {})
    plan, _ = plan_of(task, claim)
    assert plan.alternatives == ()


def test_a_plan_that_is_not_proven_has_no_alternative():
    task = task_of(torn())
    found = search(task.question)
    for claim in (
        replace(found, proven=False, bounds=(*found.bounds[:-1], found.bounds[-1] - 1)),
        replace(found, bounds=(*found.bounds[:-1], found.bounds[-1] + 1)),
        replace(found, counts=task.question.start + 1),
    ):
        assert found.alternatives
        assert plan_of(task, claim)[0].alternatives == ()


def test_zones_are_a_level_like_any_other():
    """A gang of a zone, with racks below: what is next lower is the topology's to say."""
    world = World(FleetBuilder(topology=(labels.ZONE, RACK))).shard("s0", "a").shard("s1", "b")
    for rack in ("r0", "r1"):
        world.machines(rack, shard="s1", labels={labels.ZONE: "z", RACK: rack})
    plan = planned(world.need("a/x", 2, 5, same=labels.ZONE), {Goal.GANG_SPREAD: 1.0})
    # Two racks of one machine each: no fewer are possible.
    assert plan.goals[Goal.GANG_SPREAD].after == 0
