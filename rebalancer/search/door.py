"""One question, in the ways that suit its size: taken apart, on one model, by neighbourhoods."""

from dataclasses import dataclass, replace

from models.fleet import Ints
from rebalancer.draft import Cap
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

COUPLED = 0.5
"""Share of what is left for components where something links them all in the end."""

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
    """Ask about components by all steps; else without what links them all, and then about all."""
    question = best.question
    steps = len(question.steps)

    def improve(part: Best, budget: Budget) -> None:
        _improve(part, budget, reach)

    parts = _parts(question, steps, reach)
    if len(parts) > 1:
        separate(best, budget, parts, steps, improve)
        return

    def hear(found: Found) -> None:
        best.take(found.counts)
        best.tell()

    loose = Best(_without_wide_caps(question), hear)
    parts = _parts(loose.question, steps - 1, reach)
    if len(parts) > 1:
        half = Budget(budget.left(COUPLED))
        separate(loose, half, parts, steps - 1, improve)
        budget.work += half.work
        _adopt(best, loose)
    _improve(best, budget, reach)


def _without_wide_caps(question: Question) -> Question:
    """Leave out caps over more than half of the lanes, such as that on the moves of a plan."""
    shape = question.shape
    kept = tuple(
        limit
        for limit in shape.limits
        if not (isinstance(limit, Cap) and 2 * len(limit.lanes) > len(shape))
    )
    return replace(question, shape=replace(shape, limits=kept))


def _adopt(best: Best, loose: Best) -> None:
    """Take what was found with fewer limits, if it keeps all, and the bounds that hold with all.

    What bounds a step among more plans bounds it among fewer, as long as the steps before have the
    values beside which it was found.
    """
    best.take(loose.counts)
    best.answered = best.answered or loose.answered
    for number, bound in enumerate(loose.bounds):
        if best.values[:number] == loose.values[:number]:
            best.prove(number, bound)
    best.tell()


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
        share = Budget(budget.left(1 - RELAXING))
        roam(best, share, reach.roam)
        budget.work += share.work
    if not best.is_proven and lanes >= reach.flow and best.values != known:
        # What was proven held beside other values.
        relax(best, budget)
