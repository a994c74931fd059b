"""One question, in the ways that suit its size: taken apart, on one model, by neighbourhoods."""

from dataclasses import dataclass, replace

from models.fleet import Ints
from rebalancer.question import Found, OnBetter, Question
from rebalancer.search.alternatives import alternatives
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.components import batches, components
from rebalancer.search.relaxation import pour, relax
from rebalancer.search.roam import FIRST_LANES, roam
from rebalancer.search.separate import separate
from rebalancer.search.walk import walk


@dataclass(frozen=True, slots=True)
class Reach:
    """From which size on a question is met in which way; all in lanes.

    Attributes
    ----------
    batch
        Components are asked about together up to so many: the solver tells them apart faster than
        a model can be built for each.
    flow
        From here on flows come first: below, one model tells as much in less time.
    model
        Most for one model: the solver has no answer in 45 s where there are a million.
    walk
        Share of what is left for one model before neighbourhoods are tried on it.
    roam
        Lanes that are freed together at first.
    """

    batch: int = 1_000
    flow: int = 1_000
    model: int = 50_000
    walk: float = 0.6
    roam: int = FIRST_LANES


USUAL = Reach()

RELAXING = 0.1
"""Share of what is left that is kept for the bounds of the last plan."""


def search(question: Question, on_better: OnBetter | None = None, reach: Reach = USUAL) -> Found:
    """Minimise each step in turn, from the start, which must keep every limit."""
    if not question.is_worth_a_search:
        return question.unanswered()
    best, budget = Best(question, on_better), Budget(question.limits)
    _take_apart(best, budget, reach)
    found = best.found()
    if not best.is_proven or len(question.shape) > reach.model:
        return found
    best.tell()
    return replace(found, alternatives=alternatives(best, budget))


def _take_apart(best: Best, budget: Budget, reach: Reach) -> None:
    """Ask about components by all steps; or by all but the last, and then about the last of all."""
    question = best.question
    steps = len(question.steps)
    for separable in (steps, steps - 1):
        parts = _parts(question, separable, reach)
        if len(parts) > 1:

            def improve(part: Best, budget: Budget) -> None:
                _improve(part, budget, reach)

            separate(best, budget, parts, separable, improve)
            if separable == steps:
                return
            break
    _improve(best, budget, reach)


def _parts(question: Question, steps: int, reach: Reach) -> list[Ints]:
    """Give the lanes of parts over which the first steps separate, and singles if all do."""
    if len(question.shape) <= reach.batch:
        return []
    expressions = [step.expression for step in question.steps[:steps]]
    if steps == len(question.steps):
        expressions += question.singles
    return batches(components(question.shape, expressions), reach.batch)


def _improve(best: Best, budget: Budget, reach: Reach) -> None:
    """Improve what cannot be taken apart."""
    lanes = len(best.question.shape)
    if lanes >= reach.flow:
        pour(best, budget)
        relax(best, budget)
    known = best.values
    if lanes <= reach.model:
        share = Budget(budget.left(reach.walk if lanes > reach.roam else 1.0))
        walk(best, share)
        budget.work += share.work
    if not best.is_proven and not budget.is_spent:
        roam(best, Budget(budget.left(1 - RELAXING)), reach.roam)
    if not best.is_proven and lanes >= reach.flow and best.values != known:
        # What was proven held beside other values.
        relax(best, budget)
