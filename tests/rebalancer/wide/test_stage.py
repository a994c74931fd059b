"""Plans from a selection of pairs, against plans from all of them."""

from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
import pytest
from worlds import RACK, World, random_world

from models.audit import audit_plan
from models.distinct import sums
from models.labels import INSTANCE_TYPE
from models.need import MAX_COUNT
from models.outcome import Outcome
from models.plan import Plan
from models.requirement import Operator, Requirement
from models.rules import Goal
from models.settings import Settings
from models.settings.sections import RebalanceSettings
from rebalancer.carried import carried
from rebalancer.draft import nothing
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.problems.assignment import allowed_pairs
from rebalancer.question import Found, Question
from rebalancer.search import search
from rebalancer.settings import rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import begin, greedy_plan, plan_of, solve
from rebalancer.wide.answer import UNKNOWN, answer
from rebalancer.wide.stage import Stage, answered, first_of, most_pairs, stage_of

GOALS = dict.fromkeys((Goal.PREEMPTION_DAMAGE, Goal.RUNNING_COST, Goal.INTERRUPTION_RISK), 1.0)
SETTINGS = Settings(rebalance=RebalanceSettings(min_gap=2, migrate="on"))
SEEDS = range(70)


def staged(snapshot: Snapshot, most: int) -> Stage | None:
    return stage_of(snapshot, GOALS, Limits(None), most)


def random_snapshot(seed: int) -> Snapshot:
    standing = random_world(seed, spread=seed % 3 == 0).standing()
    return snapshot_of(standing, rules_from(SETTINGS))


def without_moves(snapshot: Snapshot) -> Plan:
    """Give the plan that moves nothing."""
    task = begin(snapshot, GOALS, Limits(None))
    return plan_of(
        replace(task, question=replace(task.question, start=nothing(task.draft))),
        replace(task.question.unanswered(), counts=nothing(task.draft)),
    )[0]


@pytest.mark.parametrize("most", [0, 3])
def test_a_selection_gives_a_legal_plan_and_bounds_that_hold_for_all_lanes(most: int):
    reached = seen = 0
    for seed in SEEDS:
        snapshot = random_snapshot(seed)
        stage = staged(snapshot, most)
        if stage is None:
            continue
        seen += 1
        said = answered(stage, answer(stage.question))
        task = begin(snapshot, GOALS, Limits(None), None, said)
        plan, complaint = plan_of(task, search(task.question))
        assert complaint == "", seed
        assert audit_plan(snapshot.standing, plan, SETTINGS) == (), seed
        best = solve(snapshot, GOALS, Limits(None))
        levels = [(level.served, level.bound) for level in plan.levels]
        most_served = [level.served for level in best.levels]
        assert [served for served, _ in levels] <= most_served, seed
        for (served, bound), possible in zip(levels, most_served, strict=True):
            assert served <= bound, seed
            # The bound is on a level while those above it have what they have in this plan.
            assert possible <= bound, seed
            if served < possible:
                break
        before = [level.served for level in without_moves(snapshot).levels]
        for rank, level in enumerate(best.levels):
            gained = sum(most_served[: rank + 1]) - sum(before[: rank + 1])
            assert gained <= said.most.get(level.priority, gained), seed
        reached += [served for served, _ in levels] == most_served
        # Costs are never proven for lanes that were not drawn up.
        assert plan.outcome is Outcome.FEASIBLE, seed
    assert seen > 10
    assert reached > seen * 0.6


def test_both_seeds_are_legal_and_say_the_same_in_pairs():
    gangs = plain = 0
    for seed in SEEDS:
        snapshot = random_snapshot(seed)
        stage = staged(snapshot, 0)
        if stage is None:
            continue
        said = answer(stage.question)
        found = answered(stage, said)
        task = begin(snapshot, GOALS, Limits(None), None, found)
        assert len(found.plans) == len(said.seeds)
        for pairs, given, counts in zip(
            found.plans, said.seeds, found.counts(task.draft), strict=True
        ):
            special = [snapshot.fleet.needs[row].floor for row in snapshot.demand.need.tolist()]
            if not any(special):
                assert task.draft.holds(counts), seed
            packed = stage.drawn.packed
            expected = sums(
                stage.drawn.demand_of_wanted[given.moves.wanted],
                given.moves.count,
                len(snapshot.demand),
            )
            served = given.homes >= 0
            expected[packed.demand[served]] += packed.question.gangs.size[served]
            assert sums(pairs.demand, pairs.count, len(expected)).tolist() == expected.tolist()
            gangs, plain = gangs + int(served.sum()), plain + len(given.moves)
    assert gangs > 5
    assert plain > 10


def test_few_pairs_need_no_stage():
    snapshot = random_snapshot(1)
    assert staged(snapshot, len(snapshot.supply) * len(snapshot.demand)) is None


def test_pairs_that_no_rule_allows_count_for_nothing():
    world = World().shard("s0", "a").shard("s1", "b").need("a/x", 1, 5)
    world.machines("i", 3, shard="s0", pinned=True)
    assert staged(snapshot_of(world.standing()), 0) is None


def test_a_selection_holds_something_for_every_need_that_can_have_something():
    for seed in SEEDS:
        snapshot = random_snapshot(seed)
        stage = staged(snapshot, 0)
        if stage is None:
            continue
        chosen = stage.selection.chosen
        assert not (chosen & ~stage.allowed).any()
        has = stage.allowed.any(axis=0) & ~stage.selection.hopeless
        assert (chosen.any(axis=0) == has).all(), seed


def test_gangs_alike_are_given_different_domains():
    world = World().shard("s0", "a").shard("s1", "b")
    for number in range(4):
        world.machines(f"r{number}-", 2, shard="s1", rack=f"r{number}")
        world.need(f"a/g{number}", 2, 5, same=RACK)
    snapshot = snapshot_of(world.standing())
    stage = staged(snapshot, 8)
    assert stage is not None
    assert np.count_nonzero(stage.selection.chosen) == 4
    assert stage.selection.chosen.any(axis=1).all()


def test_a_gang_that_no_domain_can_take_is_hopeless_and_lowers_the_bound():
    world = World().shard("s0", "a").shard("s1", "b")
    world.machines("r", 3, shard="s1", rack="r0").machines("q", 3, shard="s1", rack="r1")
    world.need("a/small", 3, 5, same=RACK).need("a/large", 4, 5, same=RACK)
    snapshot = snapshot_of(world.standing())
    stage = staged(snapshot, 0)
    assert stage is not None
    names = [snapshot.fleet.needs[row].id for row in snapshot.demand.need.tolist()]
    assert dict(zip(names, stage.selection.hopeless.tolist(), strict=True)) == {
        "small": False,
        "large": True,
    }
    assert answer(stage.question).most.tolist() == [3]


def test_without_an_answer_no_bound_is_claimed():
    snapshot = random_snapshot(3)
    stage = staged(snapshot, 0)
    assert stage is not None
    silence = stage.unanswered()
    assert set(silence.most.tolist()) == {UNKNOWN}
    said = answered(stage, silence)
    task = begin(snapshot, DEFAULT_GOALS, Limits(None), None, said)
    together = task.question.together
    assert together is not None
    assert set(together) == {None}
    assert (said.chosen == stage.selection.chosen).all()
    assert (allowed_pairs(snapshot) == stage.allowed).all()


@pytest.mark.parametrize("most", [0, 1, 2])
def test_a_first_plan_comes_of_few_pairs_and_its_bounds_hold_for_all(most: int):
    seen = 0
    for seed in SEEDS:
        snapshot = random_snapshot(seed)
        allowed = allowed_pairs(snapshot)
        few = first_of(snapshot, most)
        assert (few is not None) == (np.count_nonzero(allowed) > 2 * most), seed
        if few is None:
            continue
        seen += 1
        assert not (few.chosen & ~allowed).any(), seed
        task = begin(snapshot, GOALS, Limits(None), None, few)
        plan = greedy_plan(task)
        assert audit_plan(snapshot.standing, plan, SETTINGS) == (), seed
        best = solve(snapshot, GOALS, Limits(None))
        for level, most_served in zip(plan.levels, best.levels, strict=True):
            assert most_served.served <= level.bound, seed
            if level.served < most_served.served:
                break
    assert seen > 10


def test_a_first_plan_says_no_more_than_there_are_machines():
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 3, shard="s1")
    for name in "xyz":
        world.need(f"a/{name}", MAX_COUNT, 5)
    few = first_of(snapshot_of(world.standing()), 0)
    assert few is not None
    assert few.short == {5: 9}


def test_the_bound_knows_that_inside_a_shard_any_gap_will_do():
    world = World().shard("s0", "a", "b").running("r", 2, "b/low", shard="s0", rack="r0")
    world.need("b/low", 2, 4).need("a/gang", 2, 5, same=RACK)
    rules = rules_from(Settings(rebalance=RebalanceSettings(min_gap=100)))
    stage = staged(snapshot_of(world.standing(), rules), 0)
    assert stage is not None
    most = dict(zip((4, 5), answer(stage.question).most.tolist(), strict=True))
    assert most == {4: 0, 5: 2}


def test_the_bound_knows_that_a_gang_may_move_out_of_the_way():
    world = World().shard("s0", "a", "b")
    world.running("q", 2, "a/mover", shard="s0", rack="x", instance_type="g")
    world.machines("i", 2, shard="s0", rack="x", instance_type="g")
    world.machines("j", 2, shard="s0", rack="y", instance_type="h")
    world.need("a/mover", 2, 5, same=RACK)
    only_g = (Requirement(INSTANCE_TYPE, Operator.IN, ("g",)),)
    world.need("b/big", 4, 5, same=RACK, requirements=only_g)
    for migrate, most in (("off", 0), ("on", 4)):
        rules = rules_from(Settings(rebalance=RebalanceSettings(migrate=migrate)))
        stage = staged(snapshot_of(world.standing(), rules), 0)
        if stage is not None:
            assert answer(stage.question).most.tolist() == [most]
    assert stage is not None


def test_the_largest_counts_there_are_can_be_added_up():
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 3, shard="s1", rack="r0")
    for name in "xyz":
        world.need(f"a/{name}", MAX_COUNT, 5)
    world.need("a/gang", MAX_COUNT, 5, same=RACK)
    snapshot = snapshot_of(world.standing())
    stage = staged(snapshot, 0)
    assert stage is not None
    said = answered(stage, answer(stage.question))
    assert said.short == {5: 9}
    task = begin(snapshot, GOALS, Limits(None), None, said)
    plan, _ = plan_of(task, search(task.question))
    assert [(level.served, level.bound) for level in plan.levels] == [(3, 3)]


def test_what_is_left_of_the_last_plan_is_drawn_up_too():
    for seed in range(30):
        snapshot = random_snapshot(seed)
        stage = staged(snapshot, 0)
        if stage is None:
            continue
        last = solve(snapshot, GOALS, Limits(None))
        said = answered(stage, stage.unanswered())
        task = begin(snapshot, GOALS, Limits(None), last, said)
        whole = begin(snapshot, GOALS, Limits(None), last)
        assert carried(task.draft, last).sum() == carried(whole.draft, last).sum(), seed


def test_the_time_of_the_stage_is_part_of_the_solve(monkeypatch):
    """The clock ticks a second whenever it is read."""
    monkeypatch.setattr("rebalancer.solve.stage_of", partial(stage_of, most=0))
    asked: list[float | None] = []

    def spy(question: Question) -> Found:
        asked.append(question.limits.seconds)
        return search(question)

    monkeypatch.setattr("rebalancer.solve.search", spy)
    ticks = count()
    snapshot = next(s for s in map(random_snapshot, SEEDS) if staged(s, 0) is not None)
    plan = solve(snapshot, GOALS, Limits(1000.0, clock=lambda: float(next(ticks))))
    assert plan.seconds == next(ticks) - 1
    [left] = asked
    assert left is not None
    assert left < 1000 - 5


def test_the_shorter_the_time_the_fewer_pairs_are_drawn_up():
    assert most_pairs(Limits(None)) == most_pairs(Limits(20.0)) == 200_000
    assert most_pairs(Limits(1.0)) == 20_000
    assert most_pairs(Limits(0.001)) == 2_000
