"""Improve a plan step by step until it is proven best or the limits are used up.

It starts from a plan that keeps all limits and never gives back a worse one. Every value is
recomputed from the counts; no status of a solver is trusted.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from models.fleet import Ints
from rebalancer.limits import Limits
from rebalancer.objective import Step
from rebalancer.question import Found, Question
from rebalancer.solver import Answer, Solver
from rebalancer.terms import Expression

SMALLEST_LIMIT = 1e-3
"""Below so many seconds, or so much work, nothing more is asked of the solver."""

SHARE = 0.5
"""A step may use so much of what is left, lest one that is hard to prove starve later ones."""

LEAST_WORK = 0.05
"""What the bounds of single goals may cost beside as much work as the plan itself took."""

OnBetter = Callable[[Found], None]
"""Told of every better plan and of every step that ends: all that is lost if the search dies."""


def search(question: Question, on_better: OnBetter | None = None) -> Found:
    """Minimise each step in turn, from the start, which must keep every limit."""
    if not question.is_worth_a_search:
        return question.unanswered()
    walk = _Walk(question, on_better, question.start, question.limits.clock())
    walk.bounds = [step.least for step in question.steps]
    last = len(question.steps) - 1
    for number, step in enumerate(question.steps):
        # The last value is not held: the bounds of single goals are asked for beside it.
        walk.minimise(number, step, hold=number < last)
    found = walk.found()
    if not found.proven:
        return found
    work = LEAST_WORK + walk.work / max(1, len(question.singles))
    return replace(
        found, single_bounds=tuple(walk.bound(single, work) for single in question.singles)
    )


@dataclass(slots=True)
class _Walk:
    """The best counts so far, the bounds, the solver, and what is left of the limits."""

    question: Question
    on_better: OnBetter | None
    best: Ints
    started: float
    bounds: list[int] = field(default_factory=list)
    work: float = 0.0
    answered: bool = False
    solver: Solver | None = None
    held: tuple[tuple[Expression, int], ...] = ()

    def minimise(self, number: int, step: Step, *, hold: bool) -> None:
        """Minimise one step; hold the value reached for all that follow."""
        if step.least < self._value(step.expression) and not self._is_spent():

            def take(answer: Answer) -> None:
                self._take(number, step.expression, answer)

            limits = self._left(SHARE if hold else 1.0)
            take(self._ask(step.expression, limits, take))
        if hold:
            value = self._value(step.expression)
            self.held = (*self.held, (step.expression, value))
            if self.solver is not None:
                self.solver.hold(step.expression, value)

    def bound(self, expression: Expression, work: float) -> int | None:
        """Give a proven lower bound on an expression under what is held; keep the best counts."""
        if self._is_spent():
            return None
        left = self._left(1.0)
        work = work if left.work is None else min(work, left.work)
        return self._ask(expression, replace(left, work=work)).bound

    def found(self) -> Found:
        """Give what the search came to so far."""
        proven = self.bounds == list(self.question.key(self.best))
        nothing = (None,) * len(self.question.singles)
        answered = self.answered or proven
        return Found(self.best, tuple(self.bounds), proven, answered, nothing)

    def _ask(
        self,
        expression: Expression,
        limits: Limits,
        on_answer: Callable[[Answer], None] | None = None,
    ) -> Answer:
        """Let the solver minimise."""
        if self.solver is None:
            self.solver = Solver(self.question.shape)
            for held, value in self.held:
                self.solver.hold(held, value)
        answer = self.solver.minimise(expression, self.best, limits, on_answer)
        self.work += answer.work
        return answer

    def _take(self, number: int, expression: Expression, answer: Answer) -> None:
        """Take counts that are sound and no worse, and a bound that nothing contradicts."""
        if answer.counts is not None and self._is_sound(answer.counts):
            self.answered = True
            if expression.value(answer.counts) <= self._value(expression):
                self.best = answer.counts
        if answer.bound is not None and answer.bound <= self._value(expression):
            self.bounds[number] = max(self.bounds[number], answer.bound)
        if self.on_better is not None:
            self.on_better(self.found())

    def _value(self, expression: Expression) -> int:
        return expression.value(self.best)

    def _is_sound(self, counts: Ints) -> bool:
        """Tell whether the counts keep all limits and all values that are held."""
        return self.question.shape.holds(counts) and all(
            expression.value(counts) <= value for expression, value in self.held
        )

    def _left(self, share: float) -> Limits:
        """Give a share of what is left of the limits."""
        limits = self.question.limits
        seconds, work = limits.seconds, limits.work
        if seconds is not None:
            seconds = share * (seconds - (limits.clock() - self.started))
        if work is not None:
            work = share * (work - self.work)
        return Limits(seconds, work, limits.workers, limits.seed)

    def _is_spent(self) -> bool:
        left = self._left(1.0)
        return any(x is not None and x < SMALLEST_LIMIT for x in (left.seconds, left.work))
