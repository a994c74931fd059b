"""How far a search has come, for people who watch it."""

from collections.abc import Callable
from dataclasses import dataclass

from rebalancer.question import Found, Question


@dataclass(frozen=True, slots=True)
class Progress:
    """The objective that a search is at: the first that is not proven, else the last.

    ``number`` counts from 1. ``value`` is to be small; ``bound`` is what it cannot be below, None
    where nothing is proven yet. ``priority`` is that of a level, whose value is minus the machines
    that it gains: above 0 where it loses more.
    """

    number: int
    objectives: int
    priority: int | None
    value: int
    bound: int | None

    @property
    def gap(self) -> float | None:
        """Give the proven distance from the best, 0 to 1, as a share of the largest of the three.

        That is value, bound, or the distance itself, where one is a loss and the other a gain.
        """
        if self.bound is None:
            return None
        distance = self.value - self.bound
        size = max(abs(self.value), abs(self.bound), distance)
        return distance / size if size else 0.0

    def __str__(self) -> str:
        if self.priority is None:
            text = f"{self.value}" + ("" if self.bound is None else f", at least {self.bound}")
        else:
            text = f"priority {self.priority} {_change(self.value)}"
            text += "" if self.bound is None else f", at best {_change(self.bound)}"
        gap = "" if self.gap is None else f", gap {self.gap:.2%}"
        return f"objective {self.number} of {self.objectives}: {text}{gap}"


def _change(value: int) -> str:
    """Say what a level gains or loses whose value this is."""
    return f"loses {value}" if value > 0 else f"gains {-value}"


OnProgress = Callable[[Progress], None]
"""Told now and then how far a search has come."""


def progress_of(question: Question, found: Found) -> Progress:
    """Give how far a search has come that found this."""
    values, steps = question.key(found.counts), question.steps
    open_steps = (n for n, value in enumerate(values) if found.bounds[n] < value)
    at = next(open_steps, len(steps) - 1)
    # What is known of the costs without a search is no bound that anybody could use.
    is_known = steps[at].priority is not None or found.bounds[at] > steps[at].least
    return Progress(
        number=at + 1,
        objectives=len(steps),
        priority=steps[at].priority,
        value=values[at],
        bound=found.bounds[at] if is_known or found.bounds[at] == values[at] else None,
    )
