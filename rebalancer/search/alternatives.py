"""What the other choice would have been, where goals conflict strongly.

A goal that a proven plan leaves far above the least that it could be alone, for the sake of the
others, is minimised first once, and the sum of all goals beside it; every step before is held.
"""

from dataclasses import replace

from models.fleet import Ints
from rebalancer.objective import Step
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.walk import walk

STRONG = 0.1
"""A goal conflicts with the others where it loses more than this share of what it comes to."""

MOST = 2
"""Goals that are looked at, those that lose most first."""

SHARE = 0.5
"""They may use so much of the time that is left."""

LEAST_WORK = 0.1
"""And each so much work beside what the plan took: nobody waits long for them."""


def alternatives(best: Best, budget: Budget) -> dict[int, Ints]:
    """Give counts, ``(X,)``, in which a single expression is less, for those that lose most.

    The last step is worse there, or equal; those before it are equal.
    """
    losing = _losing(best)
    allowed = LEAST_WORK + budget.work
    found: dict[int, Ints] = {}
    for single, least in losing:
        left = budget.left(SHARE / len(losing))
        work = allowed if left.work is None else min(allowed, left.work)
        own = Budget(replace(left, work=work))
        if own.is_spent:
            break
        counts = _first(best, single, least, own)
        budget.work += own.work
        if counts is not None:
            found[single] = counts
    return found


def _losing(best: Best) -> list[tuple[int, int]]:
    """Give the single expressions that conflict strongly, and the least that each could be."""
    regrets = []
    for number, (single, least) in enumerate(zip(best.question.singles, best.singles, strict=True)):
        if least is not None:
            value = single.value(best.counts)
            if value - least > STRONG * max(abs(value), abs(least)):
                regrets.append((least - value, number, least))
    return [(number, least) for _, number, least in sorted(regrets)[:MOST]]


def _first(best: Best, number: int, least: int, budget: Budget) -> Ints | None:
    """Minimise one single expression before the last step; None where it does not get less."""
    question = best.question
    single = question.singles[number]
    proven = [
        replace(step, least=value)
        for step, value in zip(question.steps[:-1], best.values[:-1], strict=True)
    ]
    steps = (*proven, Step(None, single, least), question.steps[-1])
    other = Best(replace(question, steps=steps, singles=(), start=best.counts))
    walk(other, budget)
    return other.counts if single.value(other.counts) < single.value(best.counts) else None
