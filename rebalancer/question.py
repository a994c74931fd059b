"""What a search is asked and what it says: numbers only, so that both can cross to a process.

Nobody has to believe the answer: ``believed`` recomputes it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from models.fleet import Ints
from rebalancer.draft import Shape
from rebalancer.limits import Limits
from rebalancer.objective import Step
from rebalancer.terms import Expression


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
    alternatives
        For some of the single expressions counts in which it is less and the last step no better.
    """

    counts: Ints
    bounds: tuple[int, ...]
    proven: bool
    answered: bool
    single_bounds: tuple[int | None, ...]
    alternatives: Mapping[int, Ints] = field(default_factory=dict)


OnBetter = Callable[[Found], None]
"""Told of every better plan and of every step that ends: all that is lost if the search dies."""


@dataclass(frozen=True, eq=False, slots=True)
class Question:
    """The steps to minimise one after the other, and single expressions to bound beside the last.

    Attributes
    ----------
    start
        Shape ``(X,)``. Keeps every limit of the shape; the answer is to be no worse.
    together
        None where the shape holds all lanes there are. Else it holds a selection of them, so that
        what a search proves holds for these only; and this is, for each step, a bound on what it
        and all before it come to over all lanes, None where there is none.
    is_found
        The start is not the fast method's: flows and packing found it.
    """

    shape: Shape
    steps: tuple[Step, ...]
    singles: tuple[Expression, ...]
    start: Ints
    limits: Limits
    together: tuple[int | None, ...] | None = None
    is_found: bool = False

    @property
    def is_worth_a_search(self) -> bool:
        """Tell whether there is anything to decide."""
        return len(self.shape) > 0

    def key(self, counts: Ints) -> tuple[int, ...]:
        """Give the values of all steps; the smaller tuple is the better plan."""
        return tuple(step.expression.value(counts) for step in self.steps)

    def unanswered(self) -> Found:
        """Give the start, with what is known without a search: all, where nothing can move."""
        is_empty = not len(self.shape)
        bounds = self.key(self.start) if is_empty else self.least(self.key(self.start))
        answered = is_empty or self.is_found
        return Found(self.start, bounds, is_empty, answered, (None,) * len(self.singles))

    def least(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """Bound each step, those before it at their values, without a search.

        Where these values refute one of the bounds on steps together, none of those counts.
        """
        single = tuple(step.least for step in self.steps)
        reached = [sum(values[: number + 1]) for number in range(len(values))]
        known = [*zip(self.together or (), reached, values, strict=False)]
        if any(most is not None and most > sum_ for most, sum_, _ in known):
            return single
        together = [
            least if most is None else max(least, most - (sum_ - value))
            for least, (most, sum_, value) in zip(single, known, strict=False)
        ]
        return (*together, *single[len(together) :])


def believed(question: Question, claim: Found) -> tuple[Found, str]:
    """Recompute a claim; give what is left of it, and what was wrong with it, else "".

    Counts that break a limit or are worse than the start are not taken: the start is. Of bounds
    that lie beyond what the counts reach, none is believed. Alternatives come only with a plan that
    is proven.
    """
    shape = question.shape
    if len(claim.counts) != len(shape) or not shape.holds(claim.counts):
        return question.unanswered(), "the solver's plan breaks a limit"
    values = question.key(claim.counts)
    if values > question.key(question.start):
        return question.unanswered(), "the solver's plan is worse than the fast method's"
    least = question.least(values)
    nothing = (None,) * len(question.singles)
    if question.together is not None:
        answered = claim.answered or question.is_found
        return Found(claim.counts, least, least == values, answered, nothing), ""
    if _is_refuted(question, claim, values):
        found = Found(claim.counts, least, False, claim.answered, nothing)
        return found, "the solver claims a bound that its own plan refutes"
    bounds = tuple(map(max, claim.bounds, least))
    if bounds != values:
        complaint = "the solver claims an optimum that it has not proven" if claim.proven else ""
        return Found(claim.counts, bounds, False, claim.answered, nothing), complaint
    if not all(
        _is_alternative(question, claim.counts, question.singles[single], counts)
        for single, counts in claim.alternatives.items()
    ):
        return replace(claim, bounds=bounds, proven=True, alternatives={}), (
            "the solver claims an alternative that is none"
        )
    return replace(claim, bounds=bounds, proven=True), ""


def _is_refuted(question: Question, claim: Found, values: tuple[int, ...]) -> bool:
    """Tell whether the claim's counts, which come to ``values``, go below one of its bounds."""
    singles = [single.value(claim.counts) for single in question.singles]
    bounds = [
        *zip(claim.bounds, values, strict=True),
        *zip(claim.single_bounds, singles, strict=True),
    ]
    return any(bound is not None and bound > value for bound, value in bounds)


def _is_alternative(question: Question, plan: Ints, single: Expression, counts: Ints) -> bool:
    """Tell whether counts, ``(X,)``, are legal and a single is less there, each step but the last
    as it is in the plan.
    """
    if len(counts) != len(plan) or not question.shape.holds(counts):
        return False
    if single.value(counts) >= single.value(plan):
        return False
    return question.key(counts)[:-1] == question.key(plan)[:-1]
