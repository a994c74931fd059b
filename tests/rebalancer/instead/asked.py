"""Random worlds with their plans and all that could have been done instead, tried one by one."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
from goal_values import moved_by
from worlds import World

from models.fleet import Ints, Mask
from models.standing import Standing
from rebalancer.carried import carried
from rebalancer.draft import Draft
from rebalancer.instead.apart import apart
from rebalancer.instead.case import Case, case_of
from rebalancer.limits import Limits
from rebalancer.naming import moves_of
from rebalancer.problems.assignment import draft_of
from rebalancer.search import search
from rebalancer.settings import rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve
from tests.rebalancer.test_exact import GOALS, Assignment, Oracle, settings_of

LIMITS = Limits(None)


class Asked:
    """A random world, its plan, and all assignments that keep the rules, with their goals."""

    def __init__(self, seed: int, world: World) -> None:
        self.standing: Standing = world.standing()
        settings = settings_of(seed)
        self.oracle = Oracle(self.standing, settings.rebalance.max_moves)
        self.snapshot = snapshot_of(self.standing, rules_from(settings))
        self.plan = solve(self.snapshot, GOALS, LIMITS)
        self.chosen = self.of(self.plan.moves)
        needs = range(len(self.standing.fleet.needs))
        choices = [[-1, *(n for n in needs if self.oracle.may(m, n))] for m in self.oracle.machines]
        self.all = [a for a in product(*choices) if self.oracle.keeps(a)]
        self.values = {
            a: self.oracle.counted.values({m: n for m, n in enumerate(a) if n >= 0})
            for a in self.all
        }

    def of(self, moves) -> Assignment:
        moved = moved_by(replace(self.plan, moves=tuple(moves)))
        return tuple(moved.get(m, -1) for m in self.oracle.machines)

    def mask(self, machines: list[int]) -> Mask:
        return np.isin(np.arange(len(self.standing.fleet.machines)), machines)

    def case(self, machines: list[int], weights=GOALS) -> Case:
        draft = draft_of(apart(self.snapshot, self.mask(machines)))
        return case_of(draft, weights, carried(draft, self.plan), LIMITS, search)

    def assignment(self, draft: Draft, counts: Ints) -> Assignment:
        return self.of(moves_of(draft, counts))

    def cost(self, a: Assignment, weights=GOALS) -> float:
        return sum(weights[goal] * value for goal, value in self.values[a].items())

    def key(self, a: Assignment, weights=GOALS) -> tuple[float, ...]:
        return (*self.oracle.rank(a), round(self.cost(a, weights), 4))

    def best(self, meets: Callable[[Assignment], bool], weights=GOALS) -> tuple[float, ...]:
        return min(self.key(a, weights) for a in self.all if meets(a))
