"""Flips against the lines of all plans there are, and against plans with the weights changed."""

import random

import numpy as np
import pytest
from worlds import RACK, World

from models.machine import State
from models.rules import Goal
from rebalancer.instead.case import Case, best
from rebalancer.instead.condition import Condition
from rebalancer.instead.difference import Decider, difference
from rebalancer.instead.flip import LARGEST_WEIGHT, Flip, Flips, flips
from rebalancer.instead.forbid import forbid
from rebalancer.instead.force import demand_of, force
from rebalancer.search import search
from rebalancer.solve import solve
from tests.rebalancer.instead.test_against_all_ways import (
    GOALS,
    LIMITS,
    Asked,
    _mask,
    assignment,
)

NEAR = 1e-3
"""So far, by what it costs in USD, from a flip the choice is looked at."""


def market(seed: int) -> World:
    """Give a world whose machines to be had differ in all that goals weigh."""
    chance = random.Random(seed)
    world = World().shard("s0", "a").shard("s1", "b").shard("s2", "c")
    for number in range(chance.choice((1, 1, 2))):
        penalty = float(chance.choice((0, 3, 20)))
        same = {"same": RACK} if chance.random() < 0.2 else {}
        count, priority = chance.choice((1, 2)), chance.choice((5, 5, 7))
        world.need(f"a/n{number}", count, priority, interruption_penalty=penalty, **same)
    world.need("b/low", 2, 1, reclamation_penalty=2.0, drain_seconds=60.0)
    is_new = chance.random() < 0.6
    for index in range(chance.randint(3, 5)):
        world.machines(
            f"m{index}",
            shard=chance.choice(("s1", "s2")),
            state=State.SPECULATIVE if is_new else State.IDLE,
            rack=chance.choice(("r0", "r1", "r2")),
            instance_type=chance.choice(("g", "h")),
            interruption_probability=chance.choice((0.0, 0.02, 0.1)),
            price_per_hour=chance.choice((0.5, 1.0, 1.6)),
            ready_seconds=float(chance.choice((0, 120, 600, 5000))),
        )
    return world


def questions(seed: int):
    """Give case, condition and what meets it, for every move and every machine of a world."""
    asked = Asked(seed, market(seed))
    for move in asked.plan.moves:
        case = asked.case([])
        yield asked, case, forbid(case.draft, case.plan, asked.plan, move)
    for need in np.flatnonzero(asked.standing.short).tolist():
        for machine in asked.oracle.machines:
            case = asked.case([machine])
            demand = demand_of(case.draft, need)
            condition = force(case.draft, demand, _mask(case, [machine]))
            if len(condition.lanes) and not condition.holds(case.plan):
                yield asked, case, condition


def decided_by_goals(seeds):
    for seed in seeds:
        for asked, case, condition in questions(seed):
            found = best(case, condition)
            if found.counts is None:
                continue
            if difference(case, found.counts).decider is Decider.GOALS:
                yield asked, case, condition, found.counts


def lines(asked: Asked, case: Case, condition: Condition, goal: Goal):
    """Give what all plans as good before the goals cost without a goal, and the goal's value."""
    rank = asked.oracle.rank(asked.chosen)
    meets, others = set(), set()
    for a in asked.all:
        if asked.oracle.rank(a) == rank:
            values = asked.values[a]
            line = (asked.cost(a) - GOALS[goal] * values[goal], values[goal])
            key = tuple(round(x, 9) for x in line)
            (meets if holds(case, condition, a) else others).add(key)
    return meets, others


def holds(case: Case, condition: Condition, a) -> bool:
    lanes = condition.lanes
    supply, demand = case.draft.snapshot.supply, case.draft.snapshot.demand
    total = 0
    for lane in lanes.tolist():
        need = int(demand.need[case.draft.lanes.demand[lane]])
        rows = supply.machines[int(case.draft.lanes.group[lane])]
        total += sum(a[m] == need for m in rows.tolist())
    return total >= condition.bound if condition.is_least else total <= condition.bound


def at(lines_, w):
    return min(c + w * v for c, v in lines_)


def nearest(meets, others, weight: float, way: int) -> float | None:
    """Give the nearest weight on one side from which on what meets the condition is no dearer."""
    crossings = sorted(
        {
            (c - d) / (u - v)
            for c, v in meets
            for d, u in others
            if abs(u - v) > 1e-9
        },
        key=lambda w: w * way,
    )
    for w in crossings:
        steep = max(abs(v) for _, v in meets | others) + 1e-9
        after = w + way * 1e-7 / steep
        if (w - weight) * way <= 1e-12 or after < 0 or w > LARGEST_WEIGHT:
            continue
        if at(meets, w) <= at(others, w) + 1e-9 and at(meets, after) <= at(others, after) + 1e-10:
            return w
    return None


def test_flips_are_those_of_all_plans():
    seen = {"flip": 0, "none": 0}
    for asked, case, condition, counts in decided_by_goals(range(40)):
        told = flips(case, condition, counts)
        assert told.unknown == ()
        for goal in case.terms:
            meets, others = lines(asked, case, condition, goal)
            for way in (-1, 1):
                want = nearest(meets, others, GOALS[goal], way)
                got = [f for f in told.found if f.goal is goal and f.is_above == (way > 0)]
                assert len(got) == (want is not None), (goal, way, want, told)
                if want is not None:
                    assert got[0].at == pytest.approx(want, rel=1e-6, abs=1e-9), (goal, way)
                seen["flip" if got else "none"] += 1
    assert min(seen.values()) > 20, seen
