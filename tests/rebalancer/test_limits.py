"""When time or work runs out: a plan all the same, and an honest word on how it came about."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from worlds import RACK, World, random_world

from models.audit import audit_plan
from models.outcome import Outcome
from models.plan import Plan
from models.rules import Goal
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from models.standing import Standing
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback, solve

SETTINGS = Settings(rebalance=RebalanceSettings(min_gap=2))


def knapsack() -> Standing:
    """Give a world in which taking the first gang first is wrong: 6 of 8, where 4 + 4 fit."""
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 8, shard="s1", rack="r1")
    for id, size in (("x", 6), ("y", 4), ("z", 4)):
        world.need(f"a/{id}", size, 5, same=RACK)
    return world.standing()


def solved(standing: Standing, limits: Limits) -> Plan:
    plan = solve(snapshot_of(standing, rules_from(SETTINGS)), DEFAULT_GOALS, limits)
    assert audit_plan(standing, plan, SETTINGS) == ()
    return plan


def ticking() -> Callable[[], float]:
    """Give a clock on which every look takes a second."""
    ticks = count()
    return lambda: float(next(ticks))


def test_with_room_the_solver_finds_what_the_greedy_plan_misses():
    standing = knapsack()
    greedy = fallback(snapshot_of(standing, rules_from(SETTINGS)), DEFAULT_GOALS, Limits())
    assert greedy.outcome is Outcome.FALLBACK
    assert (greedy.levels[0].served, greedy.levels[0].bound) == (6, 14)
    plan = solved(standing, Limits(None))
    assert plan.outcome is Outcome.OPTIMAL
    assert (plan.levels[0].served, plan.levels[0].bound) == (8, 8)


@pytest.mark.parametrize(
    "limits", [Limits(0.0), Limits(None, 0.0), Limits(-1.0), Limits(None, 1e-9)]
)
def test_without_room_the_greedy_plan_stands_in(limits: Limits):
    standing = knapsack()
    plan = solved(standing, limits)
    assert plan.outcome is Outcome.FALLBACK
    assert (plan.levels[0].served, plan.levels[0].bound) == (6, 14)
    assert all(value.bound is None for value in plan.goals.values())
    assert plan.moves == fallback(snapshot_of(standing), DEFAULT_GOALS, limits).moves


def test_time_that_ends_between_two_steps_leaves_the_best_so_far():
    outcomes = []
    for seconds in range(1, 20):
        plan = solved(knapsack(), Limits(float(seconds), None, clock=ticking()))
        outcomes.append(plan.outcome)
        served = plan.levels[0].served
        assert served == (6 if plan.outcome is Outcome.FALLBACK else 8)
    expected = [Outcome.FALLBACK, Outcome.FEASIBLE, Outcome.OPTIMAL]
    assert list(dict.fromkeys(outcomes)) == expected


def test_a_little_work_is_enough_for_a_sound_plan():
    """The plan is checked in ``solved``; it is never worse than the greedy one."""
    for seed in range(0, 120, 3):
        standing = random_world(seed, spread=True).standing()
        snapshot = snapshot_of(standing, rules_from(SETTINGS))
        greedy = fallback(snapshot, DEFAULT_GOALS, Limits())
        plan = solved(standing, Limits(None, 1e-4))
        served = [level.served for level in plan.levels]
        assert served >= [level.served for level in greedy.levels]


def test_the_same_again_is_the_same_plan():
    for seed in (3, 14, 15, 92, 65, 35):
        standing = random_world(seed, spread=True).standing()
        first, second = (solved(standing, Limits(None, 0.01, 1, seed)) for _ in range(2))
        assert replace(first, seconds=0.0) == replace(second, seconds=0.0)
        assert first.seed == seed


def test_seconds_are_by_the_clock_given():
    assert solved(knapsack(), Limits(None)).seconds == 0.0
    assert solved(knapsack(), Limits(None, clock=ticking())).seconds > 1.0


def test_where_nothing_can_move_the_solver_is_never_loaded():
    program = """
import sys
from models.builder import FleetBuilder
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from worlds import standing_of
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

fleet = FleetBuilder().shard("s0", "a").shard("s1", "b").needs(Need("x", "a", 3)).build()
print(solve(snapshot_of(standing_of(fleet)), DEFAULT_GOALS, Limits()).outcome)
assert "ortools" not in sys.modules
"""
    path = f"import sys; sys.path[:0] = {sys.path!r}\n"
    run = subprocess.run(
        [sys.executable, "-c", path + program], capture_output=True, text=True, check=False
    )
    assert (run.stdout, run.stderr) == ("OPTIMAL\n", "")


def test_an_empty_file_of_settings_gives_the_defaults():
    settings = Settings()
    assert limits_from(settings) == Limits(20.0, None, 0, 0)
    weights = goals_from(settings)
    assert set(weights) == set(Goal)
    assert {goal: weights[goal] for goal in DEFAULT_GOALS} == DEFAULT_GOALS
    assert rules_from(settings).min_gap == 100_000


def test_numbers_of_any_size_are_taken():
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 2, shard="s1")
    world.running("v", 3, "b/low", shard="s1", reclamation_penalty=1e300)
    world.need("a/all", 2**63 - 1, 2**31 - 1, interruption_penalty=1e300)
    world.need("b/low", 3, -(2**31), interruption_penalty=1e300)
    world.need("a/gang", 2**63 - 1, 2**31 - 1, same=RACK, floor=2**63 - 1)
    standing = world.standing()
    plan = solve(snapshot_of(standing), DEFAULT_GOALS, Limits(None))
    assert plan.outcome is Outcome.OPTIMAL
    assert plan.levels[0].served == 5
    assert audit_plan(standing, plan, Settings()) == ()
