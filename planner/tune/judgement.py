"""What a sweep shows: the front, its knee, the present weights, and which weights matter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.fleet import Mask, Reals
from models.rules import Goal
from planner.tune.front import front_of, knee_of
from planner.tune.matters import dominates_from, idle
from planner.tune.totals import Totals, rounded, totals_of
from planner.tune.trial import Result

AXES = 2
"""Goals that the knee is about, as are the axes of the picture."""


@dataclass(frozen=True, eq=False, slots=True)
class Judgement:
    """Trials that were solved, ``T`` of them by number, and what holds of them.

    Attributes
    ----------
    results, totals
        In one order.
    failed
        The trials that were not solved.
    cost
        Shape ``(T,)``. All goals by the present weights, USD: one measure for all trials.
    present, knee
        Rows; None where there is none.
    front
        Shape ``(T,)``. Whether a trial is on the Pareto front of all that is served, drained and
        created, and the values of all goals.
    trading
        Goals whose value varies, first those by most USD of present weight; of those that weigh
        nothing now, first what varies by most in its own unit. The first two are what the knee is
        about, of the trials that serve, drain and create best: no weight should change that.
    constant
        Goals whose value no trial changes.
    idle
        Swept goals whose weight changes no plan.
    dominating
        Swept goals from whose weight on no other swept weight changes a plan.
    """

    results: Sequence[Result]
    failed: Sequence[Result]
    totals: Totals
    cost: Reals
    present: int | None
    front: Mask
    knee: int | None
    trading: tuple[Goal, ...]
    constant: tuple[Goal, ...]
    idle: tuple[Goal, ...]
    dominating: Mapping[Goal, float]

    def row_of(self, number: int) -> int | None:
        """Give the row of the trial of that number."""
        numbers = [result.trial.number for result in self.results]
        return numbers.index(number) if number in numbers else None


def judged(
    results: Sequence[Result], present: Mapping[Goal, float], is_grid: bool = True
) -> Judgement:
    """Judge results in any order, by the present weights of all goals.

    At least one must have been solved. Only a grid says what is idle and what dominates: what a
    search tries is too little alike for that.
    """
    ordered = sorted(results, key=lambda result: result.trial.number)
    solved = [result for result in ordered if not result.failure]
    totals = totals_of(solved)
    vectors = totals.vectors
    swept = list(solved[0].trial.weights)
    weights = np.array([[result.trial.weights[goal] for goal in swept] for result in solved])
    own = np.array([present[goal] for goal in swept])
    front = front_of(vectors)
    alike = np.flatnonzero((weights == own).all(axis=1)).tolist()
    trading = _trading(totals, present)
    traded = [totals.goals.index(goal) for goal in trading[:AXES]]
    knee = knee_of(rounded(totals.values[:, traded]), front & _best(totals))
    if knee is not None and alike and (vectors[alike[0]] == vectors[knee]).all():
        # Weights that do as well already are not changed without need.
        knee = alike[0]
    dominating, is_idle = [], np.zeros(len(swept), dtype=np.bool_)
    if is_grid:
        dominating = dominates_from(weights, vectors)
        is_idle = idle(weights, vectors)
    return Judgement(
        results=solved,
        failed=[result for result in ordered if result.failure],
        totals=totals,
        cost=totals.values @ np.array([present[goal] for goal in totals.goals]),
        present=alike[0] if alike else None,
        front=front,
        knee=knee,
        trading=trading,
        constant=tuple(goal for goal in totals.goals if goal not in trading),
        idle=tuple(goal for goal, no_matter in zip(swept, is_idle, strict=True) if no_matter),
        dominating={
            goal: least
            for goal, least in zip(swept, dominating, strict=is_grid)
            if least is not None
        },
    )


def _trading(totals: Totals, present: Mapping[Goal, float]) -> tuple[Goal, ...]:
    values = rounded(totals.values)
    spread = dict(
        zip(totals.goals, (values.max(axis=0) - values.min(axis=0)).tolist(), strict=True)
    )
    varying = [goal for goal in totals.goals if spread[goal]]
    return tuple(sorted(varying, key=lambda goal: (-spread[goal] * present[goal], -spread[goal])))


def _best(totals: Totals) -> Mask:
    """Mark the trials, ``(T,)``, that serve most at the highest priority, then at the next, ..."""
    columns = np.hstack([-totals.served, totals.drained[:, None], totals.created[:, None]])
    mask: Mask = (columns == min(columns.tolist())).all(axis=1)
    return mask
