"""The best plan under a condition against trying everything, machine by machine."""

from dataclasses import replace

import numpy as np
import pytest
from worlds import RACK, World, random_world

from rebalancer.draft import nothing
from rebalancer.instead.case import best
from rebalancer.instead.comparison import Decider, compared
from rebalancer.instead.forbid import forbid
from rebalancer.instead.force import demand_of, force
from tests.rebalancer.instead.asked import Asked, Assignment

SEEDS = range(16)


def test_not_making_a_move_is_the_best_plan_without_it():
    seen: list[Decider] = []
    for seed in SEEDS:
        asked = Asked(seed, random_world(seed))
        case = asked.case([])
        for move in asked.plan.moves:
            condition = forbid(case.draft, case.plan, asked.plan, move)
            groups = set(case.draft.lanes.group[condition.lanes].tolist())
            like = {m for g in groups for m in case.draft.snapshot.supply.machines[g].tolist()}
            made = sum(asked.chosen[m] == move.need for m in like)
            most = made - len(move.machines)

            def meets(a, like=like, move=move, most=most):
                return sum(a[m] == move.need for m in like) <= most

            found = best(case, condition)
            assert found.proven
            assert found.counts is not None
            plan = asked.assignment(case.draft, found.counts)
            assert meets(plan), seed
            assert asked.key(plan) == pytest.approx(asked.best(meets), abs=2e-4), seed
            told = compared(case, found.counts)
            assert told.usd == pytest.approx(asked.cost(plan) - asked.cost(asked.chosen), abs=1e-9)
            assert (told.decider, told.priority) == _decider(asked, plan), seed
            assert not told.is_better
            seen.append(told.decider)
    assert len(seen) > 12
    assert {Decider.LEVEL, Decider.DRAINED, Decider.GOALS} <= set(seen)


def _decider(asked: Asked, plan: Assignment) -> tuple[Decider, int | None]:
    """Give the first of what comes before the goals in which two assignments differ."""
    levels = sorted({need.priority for need in asked.standing.fleet.needs}, reverse=True)
    steps = [
        *((Decider.LEVEL, p) for p in levels),
        (Decider.DRAINED, None),
        (Decider.CREATED, None),
    ]
    ranks = zip(asked.oracle.rank(asked.chosen), asked.oracle.rank(plan), strict=True)
    for step, (one, other) in zip(steps, ranks, strict=True):
        if one != other:
            return step
    is_tied = abs(asked.cost(plan) - asked.cost(asked.chosen)) < 1e-6
    return Decider.NOTHING if is_tied else Decider.GOALS, None


def test_what_is_instead_of_a_plan_that_was_not_proven_may_be_better():
    world = World().shard("s0", "a").shard("s1", "b").need("a/n", 2, 9)
    asked = Asked(1, world.machines("m", 2, shard="s1"))
    case = asked.case([])
    lazy = replace(case, plan=nothing(case.draft))
    told = compared(lazy, case.plan)
    assert (told.decider, told.priority, told.is_better) == (Decider.LEVEL, 9, True)
    assert [(level.plan, level.instead) for level in told.levels] == [(0, 2)]
    back = compared(case, lazy.plan)
    assert (back.decider, back.priority, back.is_better) == (Decider.LEVEL, 9, False)


def test_a_forced_machine_is_in_the_best_plan_with_it():
    seen = {"found": 0, "none": 0}
    for seed in SEEDS:
        asked = Asked(seed, random_world(seed, spread=seed % 2 == 0))
        for need in np.flatnonzero(asked.standing.short).tolist():
            for machine in asked.oracle.machines:
                _check(asked, need, [machine], 1, seen)
    assert min(seen.values()) > 15, seen


def test_a_forced_rack_serves_a_need_at_least_once_and_a_gang_whole():
    seen = {"found": 0, "none": 0}
    for seed in SEEDS:
        asked = Asked(seed, random_world(seed))
        for need in np.flatnonzero(asked.standing.short).tolist():
            for rack in (0, 1):
                inside = [m for m in asked.oracle.machines if asked.oracle.rack[m] == rack]
                is_whole = asked.standing.fleet.needs[need].is_gang and len(inside) > 1
                least = int(asked.standing.short[need]) if is_whole else 1
                _check(asked, need, inside, least, seen)
    assert min(seen.values()) > 5, seen


def _check(asked: Asked, need: int, machines: list[int], least: int, seen: dict[str, int]) -> None:
    """Compare the best plan in which a need has so many of the machines with the oracle's."""
    case = asked.case(machines)
    demand = demand_of(case.draft, need)
    assert demand is not None
    found = best(case, force(case.draft, demand, asked.mask(machines)))

    def meets(a):
        return sum(a[m] == need for m in machines) >= least

    is_possible = any(map(meets, asked.all))
    assert found.proven
    assert (found.counts is not None) == is_possible, (need, machines)
    if found.counts is not None:
        plan = asked.assignment(case.draft, found.counts)
        assert meets(plan)
        assert asked.key(plan) == pytest.approx(asked.best(meets), abs=2e-4), (need, machines)
    seen["found" if is_possible else "none"] += 1


def test_telling_machines_apart_changes_no_goal():
    """Two wholly free racks are one group, opened one after the other, until one is asked about."""
    world = World().shard("s0", "a").shard("s1", "b").need("a/n", 3, 9)
    for rack in ("r0", "r1", "r2"):
        world.machines(f"{rack}-", 2, shard="s1", rack=rack)
    asked = Asked(1, world)
    assert len(asked.snapshot.supply) == 1
    for machines in ([], [0], [3], [4, 5], [1, 2]):
        case = asked.case(machines)
        # Groups hold marked machines or others, and none of them are lost.
        for rows in case.draft.snapshot.supply.machines:
            assert len(set(np.isin(rows, machines).tolist())) == 1
        assert int(case.plan.sum()) == 3
        values = {goal: terms.value(case.plan) for goal, terms in case.terms.items()}
        assert values == pytest.approx(asked.values[asked.chosen])
    # Half a rack and another whole one, in whatever order: one free machine is left over in it.
    case = asked.case([3])
    found = best(case, force(case.draft, 0, asked.mask([3])))
    plan = asked.assignment(case.draft, found.counts)
    assert plan[3] == 0
    assert asked.key(plan) == pytest.approx(asked.best(lambda a: a[3] == 0))
    assert asked.standing.fleet.topology == (RACK,)
