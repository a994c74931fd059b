"""Large neighbourhood search: free some lanes, solve them exactly among the others, keep the best.

[Shaw 1998, Using constraint programming and local search methods to solve vehicle routing
problems.] Every neighbourhood is asked lexicographically, so no step is ever traded for a later
one, and an answer that is no better as a whole is not taken.
"""

from dataclasses import replace

from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.neighbourhoods import neighbourhoods
from rebalancer.search.part import Parts
from rebalancer.search.walk import walk

FIRST_LANES = 250
"""Lanes freed at first; twice as many each time that none of the neighbourhoods helps."""

SHARE = 0.1
"""One neighbourhood may use so much of what is left."""

MOST_WORK = 0.03
"""And no more work than this, some 0.2 s: with 0.1 nearly all of it went into proofs of costs."""

LEAST_WORK = 5e-3
"""Work that a neighbourhood counts for at least: to find it and to build its model takes 20 to
60 ms, of which the solver knows nothing; its own unit took 7 to 9 s."""


def roam(best: Best, budget: Budget, first: int = FIRST_LANES) -> None:
    """Improve on the best counts until nothing helps, all is proven, or the budget is spent."""
    parts, size, sweep = Parts(best.question), first, 0
    lanes = len(best.question.shape)
    while not best.is_proven:
        if size >= lanes:
            walk(best, budget)
            return
        sweep += 1
        if not _sweep(best, budget, parts, size, sweep):
            size *= 2
        if budget.is_spent:
            return


def _sweep(best: Best, budget: Budget, parts: Parts, size: int, sweep: int) -> bool:
    """Look once around every limit; tell whether anything became better."""
    before = best.values
    seed = budget.limits.seed + sweep
    for free in neighbourhoods(parts, best, size, seed):
        if budget.is_spent:
            break
        left = budget.left(SHARE)
        work = MOST_WORK if left.work is None else min(left.work, MOST_WORK)
        asked = parts.part(free, best.counts, replace(left, work=work))
        part = Best(replace(asked, singles=()))
        part_budget = Budget(part.question.limits)
        walk(part, part_budget)
        budget.work += max(part_budget.work, LEAST_WORK)
        best.answered = best.answered or part.found().answered
        if part.values < part.question.key(part.question.start):
            counts = best.counts.copy()
            counts[free] = part.counts
            if best.take(counts):
                best.tell()
    return best.values < before
