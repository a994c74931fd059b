"""A trial: weights to be tried, and what came of them for every snapshot."""

from collections.abc import Mapping
from dataclasses import dataclass

from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal

PRESENT = 0
"""The number of the trial with the present weights, where no other trial has them."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Weights of the swept goals, USD a unit; all others keep those of the settings."""

    number: int
    weights: Mapping[Goal, float]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a plan does for one snapshot.

    Attributes
    ----------
    drained, created
        Machines that the plan drains and creates; what the shards order themselves is the same
        for all weights.
    before, after
        The value of each goal in its own unit, of those of weight 0 too. What the snapshot is too
        large to weigh is left out.
    is_late
        Not proven, and longer under way than the deadline: where the clock has cut it short, and
        not the measure of work, it may differ when it is solved again.
    seconds
        Of the solve alone.
    """

    outcome: Outcome
    levels: tuple[Level, ...]
    drained: int
    created: int
    before: Mapping[Goal, float]
    after: Mapping[Goal, float]
    is_late: bool
    seconds: float

    @property
    def served(self) -> int:
        """Give the machines that serve, at all levels together."""
        return sum(level.served for level in self.levels)


@dataclass(frozen=True, slots=True)
class Result:
    """A trial that came to its end: one entry a snapshot, in their order; or why there is none."""

    trial: Trial
    effects: tuple[Effect, ...]
    failure: str = ""
