"""Two plans side by side: step by step, goal by goal, and what decides between them."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from models.fleet import Ints
from models.rules import Goal
from rebalancer.instead.case import Case
from rebalancer.levels import levels_of


class Decider(StrEnum):
    """The first step in which two plans differ; the value is what a person reads."""

    LEVEL = "machines served by priority"
    DRAINED = "machines drained"
    CREATED = "machines created"
    UNPRICED = "idle machines of unknown price used"
    GOALS = "the goals by their weights"
    NOTHING = "nothing: both are equally good"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A number of the plan, and what it is instead."""

    plan: float
    instead: float

    @property
    def difference(self) -> float:
        """Give by how much it is more."""
        return self.instead - self.plan


@dataclass(frozen=True, slots=True)
class LevelContrast(Contrast):
    """Machines served at a priority."""

    priority: int


@dataclass(frozen=True, slots=True)
class GoalContrast(Contrast):
    """A goal in its own unit; ``weight`` is USD a unit."""

    goal: Goal
    weight: float

    @property
    def usd(self) -> float:
        """Give what the difference costs, by the weight; below 0 where it saves."""
        return self.weight * self.difference


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is different instead of the plan.

    Attributes
    ----------
    levels
        Every priority of the fleet, highest first.
    decider, priority
        What decides, and at which level where it is one.
    is_better
        What is instead is the better of both: the plan was not proven to be best.
    """

    levels: tuple[LevelContrast, ...]
    drained: Contrast
    created: Contrast
    unpriced: Contrast
    goals: tuple[GoalContrast, ...]
    decider: Decider
    priority: int | None
    is_better: bool

    @property
    def usd(self) -> float:
        """Give what all goals cost more instead, USD."""
        return sum(goal.usd for goal in self.goals)


def compared(case: Case, instead: Ints) -> Comparison:
    """Compare counts of machines per lane, ``(X,)``, with those of the plan."""
    deciders = list(_deciders(case))
    pairs = [*zip(case.key(case.plan), case.key(instead), strict=True)]
    differing = [at for at, (plan, other) in enumerate(pairs) if plan != other]
    decider, priority = deciders[differing[0]] if differing else (Decider.NOTHING, None)
    # What minimises less is better.
    is_better = bool(differing) and pairs[differing[0]][1] < pairs[differing[0]][0]
    values = {
        who: Contrast(*pairs[at])
        for at, (who, _) in enumerate(deciders)
        if who is not Decider.LEVEL
    }
    return Comparison(
        levels=_levels(case, instead),
        drained=values[Decider.DRAINED],
        created=values[Decider.CREATED],
        unpriced=values.get(Decider.UNPRICED, Contrast(0, 0)),
        goals=goal_contrasts(case, case.plan, instead),
        decider=decider,
        priority=priority,
        is_better=is_better,
    )


def goal_contrasts(case: Case, plan: Ints, instead: Ints) -> tuple[GoalContrast, ...]:
    """Compare every goal at two counts, ``(X,)``; those that are switched off cost nothing."""
    return tuple(
        GoalContrast(terms.value(plan), terms.value(instead), goal, case.weights[goal])
        for goal, terms in case.terms.items()
    )


def _deciders(case: Case) -> Iterator[tuple[Decider, int | None]]:
    """Name the steps of the objective in their order."""
    rest = [Decider.DRAINED, Decider.CREATED, Decider.UNPRICED]
    for step in case.ends():
        yield (rest.pop(0), None) if step.priority is None else (Decider.LEVEL, step.priority)
    yield Decider.GOALS, None


def _levels(case: Case, instead: Ints) -> tuple[LevelContrast, ...]:
    draft, standing = case.draft, case.draft.snapshot.standing
    now, then = (
        levels_of(standing, draft.gained(counts) - draft.lost(counts), {})
        for counts in (case.plan, np.asarray(instead))
    )
    return tuple(
        LevelContrast(a.served, b.served, a.priority) for a, b in zip(now, then, strict=True)
    )
