"""What an alternative is: at most, or at least, so many machines over some lanes.

It is asked for as a step before all others, and not as a limit: then every plan of the draft is a
start, and that there is none which keeps the condition is proven like any other bound. The step is
by how many machines a plan misses it,

    at least b    max(0, b - sum of x)        at most b    max(0, sum of x - b)
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Draft
from rebalancer.objective import Step
from rebalancer.terms import Expression, Line, Peak


@dataclass(frozen=True, eq=False, slots=True)
class Condition:
    """The machines over ``lanes``, each once: at least ``bound`` of them, or at most."""

    lanes: Ints
    bound: int
    is_least: bool

    def holds(self, counts: Ints) -> bool:
        """Tell whether counts of machines per lane, ``(X,)``, meet it."""
        total = int(counts[self.lanes].sum())
        return total >= self.bound if self.is_least else total <= self.bound

    @property
    def opposite(self) -> "Condition":
        """Give what every plan meets that does not meet this."""
        bound = self.bound - 1 if self.is_least else self.bound + 1
        return Condition(self.lanes, bound, not self.is_least)

    def step(self, draft: Draft) -> Step:
        """Give the step that is 0 where it is met."""
        sign = -1 if self.is_least else 1
        slopes = np.full(len(self.lanes), sign, dtype=np.int64)
        none = np.empty(0, dtype=np.int64)
        misses = Peak((Line(-sign * self.bound, self.lanes, slopes), Line(0, none, none)))
        per_lane = np.zeros(len(draft.lanes), dtype=np.int64)
        return Step(None, Expression(per_lane, ((1, misses),)), 0)
