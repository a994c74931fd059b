"""Minimise step after step on one model of a whole question, each value held for the next.

No status of a solver is trusted: counts are checked and valued anew.
"""

from dataclasses import replace

from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.solver import Answer, Solver
from rebalancer.terms import Expression

SHARE = 0.5
"""A step may use so much of what is left, lest one that is hard to prove starve later ones."""

LEAST_WORK = 0.05
"""What the bounds of single goals may cost beside as much work as the plan itself took."""


def walk(best: Best, budget: Budget) -> None:
    """Improve on the best counts and prove bounds, as far as the budget goes."""
    model, steps = _Model(best, budget), best.question.steps
    last = len(steps) - 1
    before = budget.work
    for number, step in enumerate(steps):
        # The last value is not held: the bounds of single goals are asked for beside it.
        model.minimise(number, SHARE if number < last else 1.0)
        if number < last:
            model.hold(step.expression, best.values[number])
    if best.is_proven and not budget.is_spent:
        singles = best.question.singles
        work = LEAST_WORK + (budget.work - before) / max(1, len(singles))
        best.singles = tuple(model.bound(single, work) for single in singles)


class _Model:
    """A solver that is built when it is first asked, and the values held."""

    def __init__(self, best: Best, budget: Budget) -> None:
        self._best, self._budget = best, budget
        self._solver: Solver | None = None
        self._held: list[tuple[Expression, int]] = []

    def hold(self, expression: Expression, value: int) -> None:
        """Hold a value from now on."""
        self._held.append((expression, value))
        if self._solver is not None:
            self._solver.hold(expression, value)

    def minimise(self, number: int, share: float) -> None:
        """Minimise one step, unless its value is known to be least, within a share of the rest."""
        best = self._best
        if best.bounds[number] >= best.values[number] or self._budget.is_spent:
            return

        def take(answer: Answer) -> None:
            if answer.counts is not None:
                best.take(answer.counts)
            if answer.bound is not None:
                best.prove(number, answer.bound)
            best.tell()

        solver = self._built()
        if self._budget.is_spent:
            # To build a model takes time, too.
            return
        limits = self._budget.left(share)
        answer = solver.minimise(best.question.steps[number].expression, best.counts, limits, take)
        self._budget.work += answer.work
        take(answer)

    def bound(self, expression: Expression, work: float) -> int | None:
        """Give a proven lower bound on an expression under what is held."""
        solver = self._built()
        if self._budget.is_spent:
            return None
        left = self._budget.left()
        work = work if left.work is None else min(work, left.work)
        limits = replace(left, work=work)
        answer = solver.minimise(expression, self._best.counts, limits)
        self._budget.work += answer.work
        return answer.bound

    def _built(self) -> Solver:
        if self._solver is None:
            self._solver = Solver(self._best.question.shape)
            for expression, value in self._held:
                self._solver.hold(expression, value)
        return self._solver
