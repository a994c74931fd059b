"""Ask about the components of a question one by one, and add up what is proven of them."""

from collections.abc import Callable, Sequence

from models.fleet import Ints
from rebalancer.question import Found, Question
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.part import Parts

LEAST_SHARE = 0.1
"""Of what is left a part may use so much, or as much as is its share of the lanes that are left.
The smallest come first, and what they leave unused is for all that follow."""

LOOKS = 10
"""So many times the whole is checked and told on the way: 0.1 s each for 10,000 limits."""

Improve = Callable[[Best, Budget], None]


def separate(
    best: Best, budget: Budget, parts: Sequence[Ints], steps: int, improve: Improve
) -> None:
    """Improve part after part; ``parts`` are the lanes of unions of components, of all together.

    The first ``steps`` steps separate over them: bounds on these are added up, as is proven at
    the head of ``components``.
    """
    question = best.question
    cutter, counts = Parts(question), best.counts.copy()
    found: list[Best] = []
    left = unseen = len(counts)
    for lanes in parts:
        if budget.is_spent:
            break
        limits = budget.left(min(1.0, max(LEAST_SHARE, len(lanes) / left)))
        asked = cutter.part(lanes, counts, limits)
        is_large = len(lanes) * LOOKS >= len(counts)
        part = Best(asked, _hearing(best, lanes, counts) if is_large else None)
        part_budget = Budget(limits)
        improve(part, part_budget)
        budget.work += part_budget.work
        found.append(part)
        counts[lanes] = part.counts
        left -= len(lanes)
        if (unseen - left) * LOOKS >= len(counts):
            unseen = left
            best.take(counts.copy())
            best.tell()
    best.take(counts)
    best.answered = best.answered or any(part.found().answered for part in found)
    if len(found) == len(parts):
        _add_up(best, found, question, counts, steps)
    best.tell()


def _hearing(best: Best, lanes: Ints, counts: Ints) -> Callable[[Found], None]:
    """Hand on what is found of a part as something found of the whole."""

    def hear(found: Found) -> None:
        whole = counts.copy()
        whole[lanes] = found.counts
        best.take(whole)
        best.tell()

    return hear


def _add_up(
    best: Best, parts: Sequence[Best], question: Question, counts: Ints, steps: int
) -> None:
    """Prove of the whole what is proven of the parts, up to the first step that is not reached."""
    values = question.key(counts)
    for number in range(steps):
        constant = values[number] - sum(part.values[number] for part in parts)
        best.prove(number, constant + sum(part.bounds[number] for part in parts))
        if best.bounds[number] < best.values[number]:
            return
    if steps == len(question.steps):
        best.singles = tuple(
            _sum_of_single(question, parts, counts, number)
            for number in range(len(question.singles))
        )


def _sum_of_single(
    question: Question, parts: Sequence[Best], counts: Ints, number: int
) -> int | None:
    total = question.singles[number].value(counts)
    for part in parts:
        bound = part.singles[number]
        if bound is None:
            return None
        total += bound - part.question.singles[number].value(part.counts)
    return total
