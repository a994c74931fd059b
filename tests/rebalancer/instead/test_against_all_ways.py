"""Alternatives and flips against trying everything, machine by machine."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from goal_values import moved_by
from worlds import World, random_world

from models.rules import Goal
from models.standing import Standing
from rebalancer.carried import carried
from rebalancer.draft import Draft
from rebalancer.instead.apart import apart
from rebalancer.instead.case import Case, best, case_of
from rebalancer.instead.condition import Condition
from rebalancer.instead.difference import Decider, difference
from rebalancer.instead.flip import flips
from rebalancer.instead.forbid import forbid, moved
from rebalancer.instead.force import demand_of, force
from rebalancer.limits import Limits
from rebalancer.naming import moves_of
from rebalancer.problems.assignment import draft_of
from rebalancer.search import search
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve
from tests.rebalancer.test_exact import GOALS, Assignment, Oracle, settings_of

LIMITS = Limits(None)
SEEDS = range(60)


class Asked:
    """A random world, its plan, and all assignments that keep the rules."""

    def __init__(self, seed: int, world: World) -> None:
        self.standing: Standing = world.standing()
        settings = settings_of(seed)
        self.oracle = Oracle(self.standing, settings.rebalance.max_moves)
        self.snapshot = snapshot_of(self.standing, rules_from(settings))
        self.plan = solve(self.snapshot, GOALS, LIMITS)
        needs = range(len(self.standing.fleet.needs))
        choices = [
            [-1, *(n for n in needs if self.oracle.may(m, n))] for m in self.oracle.machines
        ]
        self.all = [a for a in _product(choices) if self.oracle.keeps(a)]
        self.chosen = self.of(self.plan.moves)
        self.values = {a: self.oracle.counted.values(_moved(a)) for a in self.all}

    def of(self, moves) -> Assignment:
        moved = moved_by(replace(self.plan, moves=tuple(moves)))
        return tuple(moved.get(m, -1) for m in self.oracle.machines)

    def case(self, marked: list[int]) -> Case:
        mask = np.isin(np.arange(len(self.standing.fleet.machines)), marked)
        draft = draft_of(apart(self.snapshot, mask))
        plan = carried(draft, self.plan)
        return case_of(draft, GOALS, plan, LIMITS, search)

    def cost(self, a: Assignment, weights=GOALS) -> float:
        return sum(weights[goal] * value for goal, value in self.values[a].items())

    def best(self, meets: Callable[[Assignment], bool], weights=GOALS) -> tuple[float, ...]:
        return min(
            (*self.oracle.rank(a), round(self.cost(a, weights), 4)) for a in self.all if meets(a)
        )


def _product(choices):
    from itertools import product

    return list(product(*choices))


def _moved(a: Assignment) -> dict[int, int]:
    return {m: n for m, n in enumerate(a) if n >= 0}


def assignment(asked: Asked, draft: Draft, counts) -> Assignment:
    return asked.of(moves_of(draft, counts))


def test_not_making_a_move_is_the_best_plan_without_it():
    seen = 0
    for seed in SEEDS:
        asked = Asked(seed, random_world(seed))
        case = asked.case([])
        for move in asked.plan.moves:
            condition = forbid(case.draft, case.plan, asked.plan, move)
            group = {int(case.draft.lanes.group[lane]) for lane in condition.lanes}
            like = {m for g in group for m in case.draft.snapshot.supply.machines[g].tolist()}

            def meets(a, like=like, move=move):
                kept = sum(a[m] == move.need for m in like)
                return kept <= sum(asked.chosen[m] == move.need for m in like) - len(move.machines)

            found = best(case, condition)
            assert found.proven
            assert found.counts is not None
            plan = assignment(asked, case.draft, found.counts)
            assert asked.oracle.keeps(plan)
            assert meets(plan), seed
            want = asked.best(meets)
            assert (*asked.oracle.rank(plan), asked.cost(plan)) == pytest.approx(want, abs=2e-4)
            told = difference(case, found.counts)
            assert told.usd == pytest.approx(asked.cost(plan) - asked.cost(asked.chosen), abs=1e-9)
            seen += 1
    assert seen > 40


def test_a_forced_machine_is_in_the_best_plan_with_it():
    seen = {"found": 0, "none": 0}
    for seed in SEEDS:
        asked = Asked(seed, random_world(seed, spread=seed % 2 == 0))
        for need in np.flatnonzero(asked.standing.short).tolist():
            for machine in asked.oracle.machines:
                case = asked.case([machine])
                demand = demand_of(case.draft, need)
                assert demand is not None
                condition = force(case.draft, demand, _mask(case, [machine]))

                def meets(a, machine=machine, need=need):
                    return a[machine] == need

                legal = [a for a in asked.all if meets(a)]
                found = best(case, condition)
                assert found.proven
                assert (found.counts is not None) == bool(legal), (seed, need, machine)
                if found.counts is not None:
                    plan = assignment(asked, case.draft, found.counts)
                    assert meets(plan)
                    got = (*asked.oracle.rank(plan), asked.cost(plan))
                    assert got == pytest.approx(asked.best(meets), abs=2e-4), (seed, machine)
                seen["found" if legal else "none"] += 1
    assert min(seen.values()) > 30, seen


def _mask(case: Case, machines: list[int]):
    return np.isin(np.arange(len(case.draft.snapshot.fleet.machines)), machines)
