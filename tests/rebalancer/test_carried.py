"""A plan made before is a start today as far as today allows it."""

from dataclasses import replace

import numpy as np
from worlds import RACK, World, random_world

from models.outcome import Outcome
from models.plan import Plan
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from rebalancer.carried import carried
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.problems.assignment import draft_of
from rebalancer.settings import rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import begin, solve

RULES = [
    rules_from(Settings(rebalance=RebalanceSettings(min_gap=2, migrate=migrate)))
    for migrate in ("off", "on")
]


def snapshots(seeds: range) -> list[Snapshot]:
    """Give snapshots, in every other of which gangs may move."""
    return [
        snapshot_of(random_world(seed, spread=True).standing(), RULES[seed % 2]) for seed in seeds
    ]


def best(snapshot: Snapshot, previous: Plan | None = None) -> Plan:
    return solve(snapshot, DEFAULT_GOALS, Limits(None), previous)


def test_on_the_same_fleet_all_of_a_plan_is_carried():
    moved = 0
    for snapshot in snapshots(range(40)):
        plan = best(snapshot)
        task = begin(snapshot, DEFAULT_GOALS, Limits(None), plan)
        machines = sum(len(move.machines) for move in plan.moves)
        assert carried(task.draft, plan).sum() == machines
        key = task.question.key
        cold = begin(snapshot, DEFAULT_GOALS, Limits(None))
        assert key(task.question.start) <= key(cold.question.start)
        again = solve(snapshot, DEFAULT_GOALS, Limits(None, 0.0), plan)
        assert [each.served for each in again.levels] == [each.served for each in plan.levels]
        moved += machines
    assert moved > 25


def test_of_any_plan_what_is_carried_keeps_every_limit():
    """Plans of other fleets, with rows that mean something else here or nothing."""
    plans = [best(snapshot) for snapshot in snapshots(range(25))]
    kept = dropped = 0
    for snapshot in snapshots(range(25, 60)):
        draft = draft_of(snapshot)
        for plan in plans:
            counts = carried(draft, plan)
            assert draft.holds(counts)
            machines = sum(len(move.machines) for move in plan.moves)
            assert counts.sum() <= machines
            kept += int(counts.sum())
            dropped += machines - int(counts.sum())
    assert kept > 50
    assert dropped > 50


def test_what_is_proven_is_the_same_hot_and_cold():
    snapshots_ = snapshots(range(60, 78))
    plans = [best(snapshot) for snapshot in snapshots_]
    for other, snapshot in enumerate(snapshots_):
        cold = plans[other]
        for previous in (cold, plans[other - 1]):
            hot = best(snapshot, previous)
            assert hot.outcome is cold.outcome is Outcome.OPTIMAL
            assert hot.levels == cold.levels
            cost = [sum(v.cost for v in plan.goals.values()) for plan in (hot, cold)]
            assert abs(cost[0] - cost[1]) < 1e-3


def knapsack(machines: int) -> Snapshot:
    world = World().shard("s0", "a").shard("s1", "b").machines("i", machines, shard="s1", rack="r1")
    for id, size in (("x", 6), ("y", 4), ("z", 4)):
        world.need(f"a/{id}", size, 5, same=RACK)
    return snapshot_of(world.standing(), RULES[0])


def test_a_start_that_is_better_than_the_greedy_one_is_the_plan_without_a_search():
    plan = best(knapsack(8))
    limits = Limits(None, 0.0)
    assert solve(knapsack(8), DEFAULT_GOALS, limits).levels[0].served == 6
    assert solve(knapsack(8), DEFAULT_GOALS, limits, plan).levels[0].served == 8
    # One of its two gangs comes up short by then, and 6 is better again than 4.
    assert solve(knapsack(7), DEFAULT_GOALS, limits, plan).levels[0].served == 6
    # What has come since is put to use beside it.
    assert solve(knapsack(14), DEFAULT_GOALS, limits, plan).levels[0].served == 14
    assert solve(knapsack(12), DEFAULT_GOALS, limits, plan).levels[0].served == 10


def test_a_gang_is_carried_whole_or_not_at_all():
    plan = best(knapsack(8))
    counts = carried(draft_of(knapsack(7)), plan)
    assert sorted(counts[counts > 0].tolist()) == [4]
    assert carried(draft_of(knapsack(7)), replace(plan, moves=())).tolist() == (
        np.zeros_like(counts).tolist()
    )


def test_beyond_what_a_need_lacks_now_the_last_stay():
    def wanting(count: int) -> Snapshot:
        world = World().shard("s0", "a").shard("s1", "b").need("a/x", count, 5)
        world.machines("i", 3, shard="s1").machines("j", 2, shard="s1", instance_type="other")
        return snapshot_of(world.standing(), RULES[0])

    plan = best(wanting(5))
    assert carried(draft_of(wanting(5)), plan).sum() == 5
    assert carried(draft_of(wanting(3)), plan).sum() == 3


def blocks(pinned: str = "") -> Snapshot:
    """Give two blocks of four, two of each taken; a gang of four gets one if a gang moves over."""
    world = World().shard("s0", "a", "b")
    for block in ("x", "y"):
        world.running(f"{block}q", 2, f"a/{block}", shard="s0", rack=block)
        for number in range(2):
            id = f"{block}i{number}"
            world.machines(id, shard="s0", rack=block, pinned=id == pinned)
        world.need(f"a/{block}", 2, 5, same=RACK)
    world.need("b/big", 4, 5, same=RACK)
    return snapshot_of(world.standing(), RULES[1])


def test_a_gang_that_was_to_move_over_is_carried_whole_or_not_at_all():
    plan = best(blocks())
    assert sum(len(move.machines) for move in plan.moves) == 6
    assert carried(draft_of(blocks()), plan).sum() == 6
    counts = carried(draft_of(blocks("yi0")), plan)
    assert draft_of(blocks("yi0")).holds(counts)
    assert counts.sum() == 0
