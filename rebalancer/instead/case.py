"""A plan that is asked about, and the questions whose answers say why it is as it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from models.fleet import Ints
from models.rules import Goal
from rebalancer.draft import Draft
from rebalancer.goals.catalogue import GOALS
from rebalancer.instead.condition import Condition
from rebalancer.limits import Limits
from rebalancer.objective import Objective, Step, objective_of
from rebalancer.question import Found, Question
from rebalancer.terms import Terms

Ask = Callable[[Question], Found]
"""Gives an answer that can be believed; the start of the question where time is up."""


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """A plan in lanes of a draft.

    Attributes
    ----------
    weights
        USD a unit of every goal, 0 for those that are switched off.
    terms
        What the goals are worth: all for which the snapshot is fine enough, whatever they weigh.
    plan
        Shape ``(X,)``. Machines per lane; keeps every limit of the draft.
    """

    draft: Draft
    objective: Objective
    weights: Mapping[Goal, float]
    terms: Mapping[Goal, Terms]
    plan: Ints
    limits: Limits
    ask: Ask

    def key(self, counts: Ints) -> tuple[int, ...]:
        """Give the values of all steps; the smaller tuple is the better plan."""
        return tuple(step.expression.value(counts) for step in self.objective.steps)

    def cost(self, counts: Ints, weights: Mapping[Goal, float] | None = None) -> float:
        """Give what all goals come to, USD, by these weights or those of the case."""
        weights = self.weights if weights is None else weights
        return sum(weights[goal] * terms.value(counts) for goal, terms in self.terms.items())

    def ends(self) -> tuple[Step, ...]:
        """Give the steps before the goals."""
        return self.objective.steps[:-1]


@dataclass(frozen=True, eq=False, slots=True)
class Best:
    """The best plan found under a condition; ``counts`` is None where none was.

    ``proven``: there is none better, or none at all.
    """

    counts: Ints | None
    proven: bool


def case_of(
    draft: Draft, weights: Mapping[Goal, float], plan: Ints, limits: Limits, ask: Ask
) -> Case:
    """Weigh a plan, ``(X,)``, by every goal there is."""
    known = [goal for goal in GOALS if goal not in draft.snapshot.without]
    terms = {goal: GOALS[goal](draft) for goal in known}
    weighed = {goal: float(weights.get(goal, 0.0)) for goal in known}
    return Case(draft, objective_of(draft, weighed), weighed, terms, plan, limits, ask)


def best(case: Case, condition: Condition) -> Best:
    """Give the best plan that meets a condition, by all steps in their order."""
    steps = (condition.step(case.draft), *case.objective.steps)
    return _answer(case, condition, steps, case.plan)


def cheapest(case: Case, condition: Condition, start: Ints, last: Sequence[Step]) -> Best:
    """Give the best by the ``last`` steps, of those as good as ``start`` before the goals.

    ``start``, ``(X,)``, meets the condition.
    """
    # Proven as they stand, so that nothing is asked about them.
    held = tuple(
        replace(step, least=step.expression.value(start))
        for step in (condition.step(case.draft), *case.ends())
    )
    return _answer(case, condition, (*held, *last), start)


def _answer(case: Case, condition: Condition, steps: tuple[Step, ...], start: Ints) -> Best:
    found = case.ask(Question(case.draft.shape, steps, (), start, case.limits))
    if condition.holds(found.counts):
        return Best(found.counts, found.proven)
    # How much a plan misses a condition at least is the bound of the first step.
    return Best(None, found.bounds[0] > 0)
