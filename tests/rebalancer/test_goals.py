"""Each goal on a world small enough to work out by hand."""

from math import isfinite

import pytest
from worlds import RACK, World

from models.machine import CapacityType, State
from models.plan import GoalValue
from models.rules import Goal
from rebalancer.goals.catalogue import GOALS
from rebalancer.limits import Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

HIGH, LOW = 900_000, 0


def two_shards() -> World:
    return World().shard("s0", "a").shard("s1", "b")


def value(world: World, goal: Goal, weight: float = 2.0) -> GoalValue:
    """Solve with one goal alone."""
    plan = solve(snapshot_of(world.standing()), {goal: weight}, Limits(None))
    assert list(plan.goals) == [goal]
    found = plan.goals[goal]
    assert found.weight == weight
    assert found.cost == pytest.approx(weight * found.after)
    # The weights of deviations are thirds of a cent or less, rounded to whole micro-dollars.
    assert found.bound == pytest.approx(found.cost, abs=1e-4)
    return found


def test_damage_of_machines_on_their_own():
    """Two of three: the two that cost 10 and 10 (the need's 10 is above their own), not 30."""
    world = two_shards().running("v", 2, "b/y", shard="s1", reclamation_penalty=4.0)
    world.running("w", 1, "b/y", shard="s1", reclamation_penalty=30.0)
    world.need("a/x", 2, HIGH)
    world.need("b/y", 3, LOW, interruption_penalty=5.0, reclamation_penalty=10.0)
    found = value(world, Goal.PREEMPTION_DAMAGE)
    assert (found.before, found.after) == (0, 2 * (5 + 10))


def test_damage_of_a_gang_counts_its_interruption_once():
    world = two_shards().running("v", 3, "b/y", shard="s1", rack="r1", reclamation_penalty=4.0)
    world.need("a/x", 2, HIGH).need("b/y", 3, LOW, same=RACK, interruption_penalty=5.0)
    assert value(world, Goal.PREEMPTION_DAMAGE).after == 5 + 2 * 4


def test_who_serves_nobody_is_not_damaged():
    world = two_shards()
    world.machines("e", shard="s1", state=State.CONFIGURED, cluster="b", reclamation_penalty=9.0)
    world.need("a/x", 1, HIGH)
    assert value(world, Goal.PREEMPTION_DAMAGE).after == 0


def test_running_cost_counts_hosts_and_takes_the_cheaper_slots():
    slot = {"state": State.SPECULATIVE, "capacity_type": CapacityType.ON_DEMAND}
    world = two_shards().machines("i", shard="s1", price_per_hour=3.0)
    world.machines("u", shard="s0", price_per_hour=float("nan"), pinned=True)
    world.machines("p", 5, shard="s1", price_per_hour=7.0, **slot)
    world.machines("q", 1, shard="s1", price_per_hour=2.0, **slot)
    world.need("a/x", 3, HIGH)
    found = value(world, Goal.RUNNING_COST)
    assert (found.before, found.after) == (3, 3 + 2 + 7)


def test_risk_goes_from_the_victim_to_the_receiver():
    world = two_shards()
    world.running("v", 2, "b/y", shard="s1", interruption_probability=0.5, price_per_hour=1.0)
    world.need("a/x", 1, HIGH, interruption_penalty=10.0)
    world.need("b/y", 2, LOW, interruption_penalty=4.0)
    found = value(world, Goal.INTERRUPTION_RISK)
    assert (found.before, found.after) == (0.5 * 4 * 2, 0.5 * 4 + 0.5 * 10)


def test_the_safer_machine_goes_to_the_need_that_loses_more():
    world = two_shards().machines("i", shard="s1")
    world.machines("r", shard="s1", interruption_probability=0.1, price_per_hour=1.0)
    world.need("a/x", 1, HIGH, interruption_penalty=10.0)
    world.need("a/y", 1, HIGH, interruption_penalty=100.0)
    assert value(world, Goal.INTERRUPTION_RISK).after == pytest.approx(1.0)


def test_moves_are_machines():
    world = two_shards().machines("i", 5, shard="s1").need("a/x", 3, HIGH)
    assert value(world, Goal.MOVES).after == 3


def test_time_to_ready_is_the_creation_or_the_drain():
    world = two_shards().machines("i", shard="s1", ready_seconds=500.0)
    world.machines("q", shard="s1", state=State.SPECULATIVE, price_per_hour=1.0, ready_seconds=60.0)
    world.running("v", 1, "b/y", shard="s1", ready_seconds=500.0)
    world.need("a/x", 3, HIGH).need("b/y", 1, LOW, drain_seconds=45.0)
    found = value(world, Goal.TIME_TO_READY)
    assert (found.before, found.after) == (0, 60 + 45)


def test_balance_takes_from_the_fuller_donor():
    """0, 5 and 1 of a class: fair are 2, so 3 are out of place; afterwards 2, 3 and 1: 1 is."""
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    world.machines("i", 5, shard="s1").machines("j", 1, shard="s2").need("a/x", 2, HIGH)
    found = value(world, Goal.SHARD_BALANCE)
    assert (found.before, found.after) == (pytest.approx(3), pytest.approx(1))


def test_balance_counts_classes_nobody_asks_for():
    world = World().shard("s0", "a").shard("s1", "b")
    world.machines("i", 4, shard="s1", instance_type="g").need("a/x", 1, HIGH, resources={"cpu": 1})
    found = value(world, Goal.SHARD_BALANCE)
    assert (found.before, found.after) == (2, 2)


@pytest.mark.parametrize("goal", list(GOALS))
def test_a_weight_of_nothing_switches_a_goal_off(goal: Goal):
    world = two_shards().machines("i", 5, shard="s1").need("a/x", 3, HIGH)
    weights = dict.fromkeys(GOALS, 1.0) | {goal: 0.0}
    plan = solve(snapshot_of(world.standing()), weights, Limits(None))
    assert set(plan.goals) == set(GOALS) - {goal}


def test_goals_of_other_problems_are_not_reported():
    world = two_shards().machines("i", 5, shard="s1").need("a/x", 3, HIGH)
    plan = solve(snapshot_of(world.standing()), dict.fromkeys(Goal, 1.0), Limits(None))
    assert list(plan.goals) == list(GOALS)


def test_absurd_prices_and_penalties_keep_the_sums_finite():
    """An overflow on the way would be a warning, and warnings are errors here."""
    absurd = 1e308
    world = two_shards().running(
        "v", 2, "b/y", shard="s1", price_per_hour=absurd, interruption_probability=1.0,
        reclamation_penalty=absurd,
    )  # fmt: skip
    world.need("a/x", 1, HIGH, interruption_penalty=absurd)
    world.need("b/y", 2, LOW, interruption_penalty=absurd, reclamation_penalty=absurd)
    plan = solve(snapshot_of(world.standing()), dict.fromkeys(GOALS, 1e9), Limits(None))
    assert all(isfinite(found.cost) and isfinite(found.before) for found in plan.goals.values())
