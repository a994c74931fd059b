"""Results as columns: what all snapshots together come to, one row a trial."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.fleet import Reals
from models.rules import Goal
from planner.tune.trial import Result

DIGITS = 9
"""Values are compared to so many digits: sums of floats in another order are no other plan."""


@dataclass(frozen=True, eq=False, slots=True)
class Totals:
    """Trials that were solved, ``T`` of them, in the order of the results.

    Attributes
    ----------
    priorities, goals
        What the columns of ``served`` and ``values`` are about, highest priority first.
    served
        Shape ``(T, P)``. Machines serving at each priority.
    drained, created
        Shape ``(T,)``. Machines.
    values
        Shape ``(T, G)``. Value of each goal after the plan, in its own unit.
    """

    priorities: tuple[int, ...]
    goals: tuple[Goal, ...]
    served: Reals
    drained: Reals
    created: Reals
    values: Reals

    @property
    def vectors(self) -> Reals:
        """Give all that a plan is judged by, ``(T, P + 2 + G)``, smaller is better."""
        parts = (-self.served, self.drained[:, None], self.created[:, None], self.values)
        return rounded(np.hstack(parts))


def totals_of(results: Sequence[Result]) -> Totals:
    """Add up the snapshots of each trial; a goal that one of them goes without is left out."""
    effects = [each for result in results for each in result.effects]
    priorities = sorted({row.priority for each in effects for row in each.levels}, reverse=True)
    goals = [goal for goal in Goal if all(goal in each.after for each in effects)]
    served = np.zeros((len(results), len(priorities)))
    values = np.zeros((len(results), len(goals)))
    drained, created = np.zeros(len(results)), np.zeros(len(results))
    for t, result in enumerate(results):
        for each in result.effects:
            for row in each.levels:
                served[t, priorities.index(row.priority)] += row.served
            values[t] += [each.after[goal] for goal in goals]
            drained[t] += each.drained
            created[t] += each.created
    return Totals(tuple(priorities), tuple(goals), served, drained, created, values)


def rounded(values: Reals) -> Reals:
    """Give values to ``DIGITS`` significant digits, and no negative zero."""
    near = [float(f"{value:.{DIGITS - 1}e}") for value in values.ravel().tolist()]
    return np.array(near, dtype=np.float64).reshape(values.shape) + 0.0
