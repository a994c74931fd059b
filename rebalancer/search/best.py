"""The best counts so far, what is proven of them, and who is told."""

from models.fleet import Ints
from rebalancer.question import Found, OnBetter, Question


class Best:
    """Starts from the start of a question, which must keep every limit, and never gets worse.

    ``values`` are those of the steps at ``counts``, ``bounds`` what is proven to be least for each
    given the values of the steps before. ``answered``: a solver, too, had a plan to show.
    """

    def __init__(self, question: Question, on_better: OnBetter | None = None) -> None:
        self.question = question
        self.counts = question.start
        self.values = question.key(question.start)
        self.bounds = [step.least for step in question.steps]
        self.singles: tuple[int | None, ...] = (None,) * len(question.singles)
        self.answered = False
        self._on_better = on_better

    @property
    def is_proven(self) -> bool:
        """Tell whether each value is its bound."""
        return tuple(self.bounds) == self.values

    def take(self, counts: Ints) -> bool:
        """Take counts, ``(X,)``, that keep every limit and are better; tell whether they are."""
        if not self.question.shape.holds(counts):
            return False
        self.answered = True
        values = self.question.key(counts)
        if values >= self.values:
            return False
        for number, step in enumerate(self.question.steps):
            # A bound that was found among plans at least as good at the steps before still holds.
            if _is_above(values[:number], self.values[:number]):
                self.bounds[number] = step.least
        if _is_above(values[:-1], self.values[:-1]):
            self.singles = (None,) * len(self.singles)
        self.counts, self.values = counts, values
        return True

    def prove(self, number: int, bound: int) -> None:
        """Note what was proven of a step, unless the counts themselves refute it."""
        if bound <= self.values[number]:
            self.bounds[number] = max(self.bounds[number], bound)

    def tell(self) -> None:
        """Tell what is known by now."""
        if self._on_better is not None:
            self._on_better(self.found())

    def found(self) -> Found:
        """Give what the search came to so far."""
        proven = self.is_proven
        bounds = tuple(self.bounds)
        return Found(self.counts, bounds, proven, self.answered or proven, self.singles)


def _is_above(new: tuple[int, ...], old: tuple[int, ...]) -> bool:
    return any(map(int.__gt__, new, old))
