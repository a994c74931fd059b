"""Flips against the lines of all plans there are, and against plans with the weights changed."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from worlds import RACK, World

from models.machine import State
from models.rules import Goal
from models.settings.kinds import LARGEST_WEIGHT
from rebalancer.instead.case import Case, best
from rebalancer.instead.comparison import Decider, compared
from rebalancer.instead.condition import Condition
from rebalancer.instead.flip import Flips, flips
from rebalancer.instead.forbid import forbid
from rebalancer.instead.force import demand_of, force
from rebalancer.solve import solve
from tests.rebalancer.instead.asked import GOALS, LIMITS, Asked, Assignment

SEEDS = (1, 2, 4, 8, 13, 14, 28)
"""Markets where choices turn, others where a third plan comes in between or none ever turns."""

Line = tuple[float, float]
"""What a plan costs without one goal, and that goal's value."""


def market(seed: int) -> World:
    """Give a world whose machines to be had differ in all that goals weigh."""
    chance = random.Random(seed)
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    for number in range(chance.choice((1, 1, 2))):
        penalty = float(chance.choice((0, 3, 20)))
        same = {"same": RACK} if chance.random() < 0.1 else {}
        count, priority = chance.choice((1, 2)), chance.choice((5, 5, 7))
        world.need(f"a/n{number}", count, priority, interruption_penalty=penalty, **same)
    world.need("b/low", 2, 1, reclamation_penalty=2.0, drain_seconds=60.0)
    is_new = chance.random() < 0.9
    for index in range(chance.randint(3, 4)):
        world.machines(
            f"m{index}",
            shard=chance.choice(("s1", "s2")),
            state=State.SPECULATIVE if is_new else State.IDLE,
            rack=chance.choice(("r0", "r1", "r2")),
            instance_type=chance.choice(("g", "h")),
            interruption_probability=chance.choice((0.0, 0.02, 0.05, 0.1)),
            price_per_hour=round(chance.uniform(0.5, 2.0), 2),
            ready_seconds=float(chance.randint(0, 3000)),
        )
    return world


def questions(seed: int) -> Iterator[tuple[Asked, Case, Condition]]:
    """Give every question whose answer is a matter of goals about a market's moves and machines."""
    asked = Asked(1, market(seed))
    case = asked.case([])
    posed = [(case, forbid(case.draft, case.plan, asked.plan, m)) for m in asked.plan.moves]
    for need in np.flatnonzero(asked.standing.short).tolist():
        for machine in asked.oracle.machines:
            case = asked.case([machine])
            demand = demand_of(case.draft, need)
            assert demand is not None
            posed.append((case, force(case.draft, demand, asked.mask([machine]))))
    for case, condition in posed:
        if len(condition.lanes) and not condition.holds(case.plan):
            yield asked, case, condition


@cache
def decided_by_goals() -> tuple[tuple[Asked, Case, Condition, Flips], ...]:
    return tuple(_decided_by_goals())


def _decided_by_goals() -> Iterator[tuple[Asked, Case, Condition, Flips]]:
    for seed in SEEDS:
        for asked, case, condition in questions(seed):
            found = best(case, condition)
            if found.counts is not None:
                told = compared(case, found.counts)
                if told.decider is Decider.GOALS:
                    assert not told.is_better
                    yield asked, case, condition, flips(case, condition, found.counts)


def meets(case: Case, condition: Condition, a: Assignment) -> bool:
    """Tell whether an assignment meets a condition, machine by machine."""
    supply, demand, total = case.draft.snapshot.supply, case.draft.snapshot.demand, 0
    for lane in condition.lanes.tolist():
        need = int(demand.need[case.draft.lanes.demand[lane]])
        rows = supply.machines[int(case.draft.lanes.group[lane])]
        total += sum(a[m] == need for m in rows.tolist())
    return total >= condition.bound if condition.is_least else total <= condition.bound


def lines_of(asked: Asked, case: Case, condition: Condition, goal: Goal):
    """Give the lines of all plans as good before the goals: that meet the condition, and others."""
    rank = asked.oracle.rank(asked.chosen)
    own, others = set[Line](), set[Line]()
    for a in asked.all:
        if asked.oracle.rank(a) == rank:
            value = asked.values[a][goal]
            line = (round(asked.cost(a) - GOALS[goal] * value, 9), round(value, 9))
            (own if meets(case, condition, a) else others).add(line)
    return own, others


def least(lines: set[Line], weight: float) -> float:
    return min(cost + weight * value for cost, value in lines)


def nearest(own: set[Line], others: set[Line], weight: float, way: int) -> float | None:
    """Give the nearest weight on one side from which on those that meet it are no dearer."""
    crossings = {
        (c - d) / (u - v) for c, v in own for d, u in others if abs(u - v) > 1e-9
    }  # fmt: skip
    for at in sorted(crossings, key=lambda at: at * way):
        steep = max(abs(value) for _, value in own | others)
        after = at + way * 1e-7 / steep
        if (at - weight) * way <= 1e-12 or after < 0 or at > LARGEST_WEIGHT:
            continue
        if all(least(own, w) <= least(others, w) + 1e-9 for w in (at, after)):
            return at
    return None


def test_flips_are_those_of_all_plans():
    seen = {"flip": 0, "none": 0, "tied": 0}
    for asked, case, condition, told in decided_by_goals():
        assert told.unknown == ()
        for goal in case.terms:
            own, others = lines_of(asked, case, condition, goal)
            for way in (-1, 1):
                want = nearest(own, others, GOALS[goal], way)
                got = [f for f in told.found if f.goal is goal and f.is_above == (way > 0)]
                assert len(got) == (want is not None), (goal, way, want, told)
                if want is not None:
                    assert got[0].at == pytest.approx(want, rel=1e-6, abs=1e-9), (goal, way)
                    beyond = want + way * max(1e-4 * want, 1e-6)
                    gap = least(others, beyond) - least(own, beyond)
                    assert got[0].is_tied == (gap < 1e-9), (goal, way)
                    seen["tied"] += got[0].is_tied
                seen["flip" if got else "none"] += 1
    assert min(seen.values()) > 3, seen


def test_a_plan_made_with_the_weight_on_either_side_bears_a_flip_out():
    seen = 0
    for asked, case, condition, told in decided_by_goals():
        for flip in told.found:
            if flip.is_tied:
                continue
            chosen = {}
            for side in (-1, 1):
                near = flip.at + side * max(1e-3 * flip.at, 1e-6)
                weights = {**GOALS, flip.goal: near}
                plan = solve(asked.snapshot, weights, LIMITS)
                chosen[side] = meets(case, condition, asked.of(plan.moves))
            assert chosen == {-1: not flip.is_above, 1: flip.is_above}, flip
            seen += 1
    assert seen > 15


def test_a_goal_that_is_switched_off_may_flip_the_choice_when_it_is_switched_on():
    asked = Asked(1, market(13))
    seen = 0
    for goal in (Goal.RUNNING_COST, Goal.INTERRUPTION_RISK, Goal.MOVES):
        weights = {**GOALS, goal: 0.0}
        plan = solve(asked.snapshot, weights, LIMITS)
        for machine in asked.oracle.machines:
            asked.plan = plan
            case = asked.case([machine], weights)
            condition = force(case.draft, 0, asked.mask([machine]))
            found = best(case, condition)
            if condition.holds(case.plan) or found.counts is None:
                continue
            if compared(case, found.counts).decider is Decider.GOALS:
                told = [f for f in flips(case, condition, found.counts).found if f.goal is goal]
                assert all(flip.is_above and flip.weight == 0.0 for flip in told)
                seen += len(told)
    assert seen > 0


def test_what_is_not_proven_is_left_open():
    _, case, condition = next(questions(1))
    found = best(case, condition)
    assert found.counts is not None
    silent = replace(case, ask=lambda question: question.unanswered())
    told = flips(silent, condition, found.counts)
    assert told.found == ()
    assert len(told.unknown) > 3
    assert not best(silent, condition).proven
    assert best(silent, condition).counts is None


COSTS = {goal: 0.0 for goal in Goal} | {Goal.RUNNING_COST: 0.5, Goal.INTERRUPTION_RISK: 1.0}
"""Of a machine of this price and risk a plan costs 10 x risk + weight x price."""


def priced(machines: dict[str, tuple[float, float]], asked_for: list[str]) -> Flips:
    """Ask for one of some machines instead of the best by ``COSTS``; they have price and risk."""
    world = World().shard("s0", "a").shard("s1", "b")
    world.need("a/n", 1, 5, interruption_penalty=10.0)
    for name, (price, risk) in machines.items():
        given = {"price_per_hour": price, "interruption_probability": risk}
        world.machines(name, shard="s1", state=State.SPECULATIVE, instance_type=name, **given)
    asked = Asked(1, world)
    asked.plan = solve(asked.snapshot, COSTS, LIMITS)
    ids = asked.standing.fleet.machines.ids.tolist()
    rows = [ids.index(name) for name in asked_for]
    case = asked.case(rows, COSTS)
    condition = force(case.draft, 0, asked.mask(rows))
    assert not condition.holds(case.plan)
    found = best(case, condition)
    assert found.counts is not None
    return flips(case, condition, found.counts)


def of_running_cost(told: Flips) -> list[float]:
    assert told.unknown == ()
    return [flip.at for flip in told.found if flip.goal is Goal.RUNNING_COST]


def test_a_third_plan_in_between_puts_the_flip_off():
    machines = {"now": (3.0, 0.0), "third": (2.0, 0.1), "then": (1.0, 0.25)}
    told = of_running_cost(priced(machines, ["then"]))
    assert told == [pytest.approx(1.5)], "not 1.25, where it meets what is chosen now"
    assert of_running_cost(priced(machines, ["third"])) == [pytest.approx(1.0)]


def test_where_more_rivals_come_in_between_than_are_looked_at_the_goal_is_left_open(monkeypatch):
    machines = {"now": (3.0, 0.0), "third": (2.0, 0.1), "then": (1.0, 0.25)}
    monkeypatch.setattr("rebalancer.instead.flip.MOST_RIVALS", 1)
    told = priced(machines, ["then"])
    assert Goal.RUNNING_COST in told.unknown
    assert Goal.RUNNING_COST not in {flip.goal for flip in told.found}
    assert of_running_cost(priced(machines, ["third"])) == [pytest.approx(1.0)]


def test_what_is_never_better_than_equal_is_never_chosen():
    machines = {"now": (3.0, 0.0), "third": (2.0, 0.1), "touches": (2.5, 0.05)}
    assert of_running_cost(priced(machines, ["touches"])) == []


def test_the_flip_is_that_of_the_best_alternative_there():
    machines = {"now": (3.0, 0.0), "then": (1.0, 0.25), "last": (0.5, 0.4)}
    assert of_running_cost(priced(machines, ["then", "last"])) == [pytest.approx(1.25)]


def test_no_flip_is_beyond_the_largest_weight():
    machines = {"now": (3.0, 0.0), "hardly": (3.0 - 1e-9, 0.25)}
    assert of_running_cost(priced(machines, ["hardly"])) == []
