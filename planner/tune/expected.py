"""Which results a sweep can have: a journal is believed only where it holds one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.rules import Goal
from planner.tune.space import MOST_TRIALS, Range, is_within
from planner.tune.trial import Effect, Result, Trial
from rebalancer.goals.catalogue import GOALS
from rebalancer.levels import levels_of
from rebalancer.snapshot import Snapshot


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """What all plans for one snapshot have alike.

    Attributes
    ----------
    goals
        Those that the snapshot is fine enough to weigh.
    asked
        Priority and machines asked for of each level, highest first.
    machines
        Of the fleet: a plan drains and creates no more.
    """

    goals: frozenset[Goal]
    asked: tuple[tuple[int, int], ...]
    machines: int

    def fits(self, effect: Effect) -> bool:
        """Tell whether a plan for the snapshot could do this."""
        return (
            set(effect.before) == set(effect.after) == self.goals
            and tuple((row.priority, row.asked) for row in effect.levels) == self.asked
            and all(max(row.served, row.bound) <= row.asked for row in effect.levels)
            and max(effect.drained, effect.created) <= self.machines
            and effect.seconds >= 0
        )


@dataclass(frozen=True, eq=False, slots=True)
class Expected:
    """The trials and snapshots of a sweep.

    Attributes
    ----------
    trials
        By number, those that are known before any is solved: of a grid all.
    search
        The ranges in which others are proposed, as results come; None where none are.
    """

    trials: Mapping[int, Trial]
    search: Sequence[Range] | None
    shapes: Sequence[Shape]

    def fits(self, result: Result) -> bool:
        """Tell whether a result could be one of this sweep."""
        return (
            self._proposes(result.trial)
            and len(result.effects) == len(self.shapes)
            and all(map(Shape.fits, self.shapes, result.effects))
        )

    def _proposes(self, trial: Trial) -> bool:
        if trial.number in self.trials or self.search is None:
            return self.trials.get(trial.number) == trial
        return trial.number <= MOST_TRIALS and is_within(self.search, trial.weights)


def shape_of(snapshot: Snapshot) -> Shape:
    """Give what all plans for a snapshot have alike."""
    standing = snapshot.standing
    unchanged = np.zeros(len(standing.fleet.needs), dtype=np.int64)
    levels = levels_of(standing, unchanged, {})
    return Shape(
        goals=frozenset(GOALS) - frozenset(snapshot.without),
        asked=tuple((level.priority, level.asked) for level in levels),
        machines=len(standing.fleet.machines),
    )
