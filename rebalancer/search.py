"""Improve a plan step by step until it is proven best or the limits are used up.

It starts from a plan that keeps all limits and never gives back a worse one. Every value is
recomputed from the counts; no status of a solver is trusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.fleet import Ints
from rebalancer.draft import Draft
from rebalancer.limits import Limits
from rebalancer.objective import Expression, Step
from rebalancer.solver import Solver

LARGEST_DRAFT = 200_000
"""Lanes beyond which no model is built: building it would use up the default deadline."""

SMALLEST_LIMIT = 1e-3
"""Below so many seconds, or so much work, nothing more is asked of the solver."""

SHARE = 0.5
"""A step may use so much of what is left, lest one that is hard to prove starve later ones."""

LEAST_WORK = 0.05
"""What the bounds of single goals may cost beside as much work as the plan itself took."""


@dataclass(frozen=True, eq=False, slots=True)
class Found:
    """What a search came to.

    Attributes
    ----------
    counts
        Machines per lane, ``(X,)``.
    bounds
        For each step a proven lower bound on its value, given the values of the steps before.
    proven
        Every step's value is its bound.
    answered
        The solver gave at least one plan, or no step needed one.
    single_bounds
        For each single expression a proven lower bound, given all steps but the last; None where
        the limits left no room for it.
    """

    counts: Ints
    bounds: tuple[int, ...]
    proven: bool
    answered: bool
    single_bounds: tuple[int | None, ...]


def search(
    draft: Draft, steps: Sequence[Step], singles: Sequence[Expression], start: Ints, limits: Limits
) -> Found:
    """Minimise each step in turn, from ``start``, which must keep every limit of the draft."""
    if len(draft.lanes) > LARGEST_DRAFT:
        return Found(start, tuple(s.least for s in steps), False, False, (None,) * len(singles))
    walk = _Walk(draft, limits, start, limits.clock())
    bounds = [walk.minimise(step, hold=True) for step in steps[:-1]]
    # The last value is not held: the bounds of single goals are asked for beside it.
    bounds.append(walk.minimise(steps[-1], hold=False))
    values = [step.expression.value(draft, walk.best) for step in steps]
    proven = bounds == values
    work = LEAST_WORK + walk.work / max(1, len(singles))
    single_bounds = [walk.bound(single, work) if proven else None for single in singles]
    return Found(walk.best, tuple(bounds), proven, walk.answered or proven, tuple(single_bounds))


@dataclass(slots=True)
class _Walk:
    """The best counts so far, the solver, and what is left of the limits."""

    draft: Draft
    limits: Limits
    best: Ints
    started: float
    work: float = 0.0
    answered: bool = False
    solver: Solver | None = None
    held: tuple[tuple[Expression, int], ...] = ()

    def minimise(self, step: Step, *, hold: bool) -> int:
        """Minimise one step; hold the value reached for all that follow; give its proven bound."""
        bound = step.least
        if bound < step.expression.value(self.draft, self.best) and not self._is_spent():
            proven = self._ask(step.expression, self._left(SHARE if hold else 1.0))
            bound = bound if proven is None else max(bound, proven)
        value = step.expression.value(self.draft, self.best)
        if hold:
            self.held = (*self.held, (step.expression, value))
            if self.solver is not None:
                self.solver.hold(step.expression, value)
        return min(bound, value)

    def bound(self, expression: Expression, work: float) -> int | None:
        """Give a proven lower bound on an expression under what is held; keep the best counts."""
        if self._is_spent():
            return None
        kept = self.best
        left = self._left(1.0)
        work = work if left.work is None else min(work, left.work)
        bound = self._ask(expression, replace(left, work=work))
        self.best = kept
        return bound

    def _ask(self, expression: Expression, limits: Limits) -> int | None:
        """Let the solver minimise; take its counts if they are no worse; give its bound."""
        if self.solver is None:
            self.solver = Solver(self.draft)
            for held, value in self.held:
                self.solver.hold(held, value)
        answer = self.solver.minimise(expression, self.best, limits)
        self.work += answer.work
        if answer.counts is not None and self._is_sound(answer.counts):
            self.answered = True
            before = expression.value(self.draft, self.best)
            if expression.value(self.draft, answer.counts) <= before:
                self.best = answer.counts
        return answer.bound

    def _is_sound(self, counts: Ints) -> bool:
        """Tell whether the counts keep all limits and all values that are held."""
        return self.draft.holds(counts) and all(
            expression.value(self.draft, counts) <= value for expression, value in self.held
        )

    def _left(self, share: float) -> Limits:
        """Give a share of what is left of the limits."""
        seconds, work = self.limits.seconds, self.limits.work
        if seconds is not None:
            seconds = share * (seconds - (self.limits.clock() - self.started))
        if work is not None:
            work = share * (work - self.work)
        return Limits(seconds, work, self.limits.workers, self.limits.seed)

    def _is_spent(self) -> bool:
        left = self._left(1.0)
        return any(x is not None and x < SMALLEST_LIMIT for x in (left.seconds, left.work))
