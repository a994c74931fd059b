"""The weight of one goal, changed alone, at which the choice turns to the alternative.

Weights change only what comes last, so the plans to choose from are those as good as the plan at
every step before the goals. Let v(x) be the goal whose weight w changes and c(x) what all others
cost, so that a plan costs the line c(x) + w v(x). With I the plans that meet the condition, O all
others, and r, of O, the rival that is chosen at first:

    F_I(w) = min over I of c(x) + w v(x)        concave, above the line of r at the weight there is

1. A concave function above a line at one place is above it on a whole interval, so towards either
   side F_I meets the line of r at most once, and no choice turns before that. The place is found by
   Newton's way from beyond it [Dinkelbach 1967, Management Science 13]: solve at w, go to where the
   line of what was found meets that of r, until the two are one.
2. Where another of O is cheaper a little beyond that place, it is the rival from there on: back to
   1. Each rival has another slope, so this ends.
3. Else the choice turns there, which solves of I and O on both sides must bear out.

Towards larger weights the search comes from the plan of I with the least v of all, towards smaller
ones from that at w = 0: where these are not below the line of r, nothing ever is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isclose

import numpy as np

from models.fleet import Ints
from models.rules import Goal
from models.settings.kinds import LARGEST_WEIGHT
from rebalancer.instead.case import Case, cheapest
from rebalancer.instead.condition import Condition
from rebalancer.objective import Objective, objective_of

MOST_RIVALS = 40
"""Random fleets took two at most, so that many more are a fault of rounding."""

MOST_STEPS = 40
"""Of Newton's way towards one meeting; random fleets took two of these, too."""

APART = 8.0
"""So many times what rounding can hide lie between the choices on either side of a flip."""


@dataclass(frozen=True, slots=True)
class Flip:
    """From weight ``at`` on, upwards where ``is_above``, the alternative is chosen.

    ``is_tied``: from there on another plan that does not meet the condition is as good.
    """

    goal: Goal
    weight: float
    at: float
    is_above: bool
    is_tied: bool


@dataclass(frozen=True, slots=True)
class Flips:
    """All flips that are nearest to the weights there are; ``unknown`` are goals left open."""

    found: tuple[Flip, ...]
    unknown: tuple[Goal, ...]


class _Unproven(Exception):
    """A solve ended before its answer was proven."""


def flips(case: Case, condition: Condition, instead: Ints) -> Flips:
    """Give the flips of every goal, in their order.

    The plan of the case does not meet the condition; ``instead``, ``(X,)``, does, and is as good at
    every step before the goals.
    """
    found, unknown = list[Flip](), list[Goal]()
    for goal, terms in case.terms.items():
        if not terms.per_lane.any() and not terms.features:
            continue
        try:
            found.extend(_Turning(case, condition, instead, goal).both_ways())
        except _Unproven:
            unknown.append(goal)
    return Flips(tuple(found), tuple(unknown))


@dataclass(frozen=True, eq=False, slots=True)
class _Turning:
    """The search for one goal."""

    case: Case
    condition: Condition
    instead: Ints
    goal: Goal
    _objectives: dict[float, Objective] = field(default_factory=dict)

    def both_ways(self) -> Iterator[Flip]:
        """Give the flip below the weight there is, and that above, where there are any."""
        weight = self.case.weights[self.goal]
        for way in (-1, 1) if weight else (1,):
            at, rival = weight, self.case.plan
            for _ in range(MOST_RIVALS):
                turn = self._meeting(rival, at, way)
                if turn is None:
                    break
                beyond = self._borne_out(turn, way, rival)
                if beyond is None:
                    raise _Unproven
                tells, after, cheaper = beyond
                if tells < 0:
                    # A third is cheaper there, or the two only touch.
                    at, rival = after, cheaper
                    continue
                yield Flip(self.goal, weight, turn, way > 0, tells == 0)
                break
            else:
                # More rivals than are looked at: whether the choice turns is not known.
                raise _Unproven

    def _borne_out(self, turn: float, way: int, rival: Ints) -> tuple[int, float, Ints] | None:
        """Solve on both sides; None where the choice was not another before.

        Gives how the others compare beyond the turn, at which weight, and the best of them.
        """
        own = self._own(turn)
        steep = abs(self._value(own) - self._value(rival))
        if isclose(steep, 0.0, abs_tol=1e-12):
            # Two that rounding makes the same: nothing can be said.
            return None
        step = APART * (self._hidden(own, turn) + self._hidden(rival, turn)) / steep
        before, after = max(0.0, turn - way * step), max(0.0, turn + way * step)
        if self._tells(self._others(before), self._own(before), before) >= 0:
            return None
        others = self._others(after)
        return self._tells(others, self._own(after), after), after, others

    def _meeting(self, rival: Ints, at: float, way: int) -> float | None:
        """Give where the least cost of the condition comes down to the rival's line, from ``at``.

        None where it does not, towards that side.
        """
        own = self._least_valued() if way > 0 else self._own(0.0)
        if way < 0 and self._tells(rival, own, 0.0) <= 0:
            return None
        weight = self._crossing(own, rival)
        for _ in range(MOST_STEPS):
            if weight is None or weight > LARGEST_WEIGHT or (weight - at) * way <= 0:
                return None
            own = self._own(weight)
            if self._tells(rival, own, weight) <= 0:
                return weight
            weight = self._crossing(own, rival)
        raise _Unproven

    def _crossing(self, own: Ints, rival: Ints) -> float | None:
        """Give the weight at which two plans cost the same; None where one always costs more."""
        falls = self._value(rival) - self._value(own)
        if isclose(falls, 0.0, abs_tol=1e-12):
            return None
        return (self._cost(own, 0.0) - self._cost(rival, 0.0)) / falls

    def _own(self, weight: float) -> Ints:
        """Give the cheapest plan that meets the condition."""
        return self._solved(self.condition, self.instead, (self._objective(weight),))

    def _others(self, weight: float) -> Ints:
        """Give the cheapest plan that does not."""
        return self._solved(self.condition.opposite, self.case.plan, (self._objective(weight),))

    def _least_valued(self) -> Ints:
        """Give the plan with the least of the goal, of those that meet the condition."""
        alone = objective_of(self.case.draft, {self.goal: 1.0})
        return self._solved(self.condition, self.instead, (alone, self._objective(0.0)))

    def _solved(self, condition: Condition, start: Ints, last: tuple[Objective, ...]) -> Ints:
        found = cheapest(self.case, condition, start, [each.steps[-1] for each in last])
        if found.counts is None or not found.proven:
            raise _Unproven
        return found.counts

    def _objective(self, weight: float) -> Objective:
        if weight not in self._objectives:
            weights = {**self.case.weights, self.goal: weight}
            self._objectives[weight] = objective_of(self.case.draft, weights)
        return self._objectives[weight]

    def _value(self, counts: Ints) -> float:
        return self.case.terms[self.goal].value(counts)

    def _cost(self, counts: Ints, weight: float) -> float:
        return self.case.cost(counts, {**self.case.weights, self.goal: weight})

    def _tells(self, one: Ints, other: Ints, weight: float) -> int:
        """Give -1 where one plan is cheaper, 1 where the other is, 0 where rounding hides it."""
        gap = self._cost(one, weight) - self._cost(other, weight)
        hidden = self._hidden(one, weight) + self._hidden(other, weight)
        return 0 if abs(gap) <= hidden else int(np.sign(gap))

    def _hidden(self, counts: Ints, weight: float) -> float:
        """Bound what a plan's cost loses in whole units, and in floats, USD."""
        unit = self._objective(weight).unit_usd
        features = [f for terms in self.case.terms.values() for _, f in terms.features]
        whole = int(counts.sum()) + sum(abs(feature.value(counts)) for feature in features)
        return unit * (1 + whole / 2) + 1e-12 * abs(self._cost(counts, weight))
