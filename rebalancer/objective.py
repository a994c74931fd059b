"""The objectives in their order, as integer expressions to be minimised one after the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import gcd

import numpy as np

from models.cost import DEAREST_USD
from models.fleet import Ints
from models.rules import Goal
from rebalancer.draft import Choice, Deviation, Draft, Shape, Terms
from rebalancer.goals.catalogue import GOALS
from rebalancer.snapshot import SupplyKind

FINEST_USD = 1e-6
"""Costs are compared in whole micro-dollars, or coarser where sums would grow too large."""

LARGEST_SUM = 2.0**50
"""Bound on any sum of costs: far inside the solver's 64 bits, and exact in a float."""


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """``Terms`` in whole units: ``per_lane`` is ``(X,)``; each deviation comes with its weight."""

    per_lane: Ints
    per_broken: Mapping[int, int] = field(default_factory=dict)
    deviations: tuple[tuple[int, Deviation], ...] = ()

    def value(self, shape: Shape, counts: Ints) -> int:
        """Give the value that counts of machines per lane, ``(X,)``, lead to."""
        value = int(self.per_lane @ counts)
        if self.per_broken:
            broken = set(shape.victim[counts > 0].tolist())
            value += sum(cost for need, cost in self.per_broken.items() if need in broken)
        return value + sum(weight * d.distance(counts) for weight, d in self.deviations)


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """One objective.

    ``priority`` is that of a level, None for the rest. ``least`` bounds the value from below
    without any search.
    """

    priority: int | None
    expression: Expression
    least: int


@dataclass(frozen=True, eq=False, slots=True)
class Objective:
    """All steps, the most important first; the last is the weighted goals.

    Attributes
    ----------
    terms
        The goals that are switched on and known here.
    single
        The weighted cost of each of them alone, in the same unit as the last step.
    unit_usd
        What 1 means in the last step.
    rounding_usd
        By how much rounding to units can change the cost of each of them at most.
    """

    steps: tuple[Step, ...]
    weights: Mapping[Goal, float]
    terms: Mapping[Goal, Terms]
    single: Mapping[Goal, Expression]
    unit_usd: float
    rounding_usd: Mapping[Goal, float]


def objective_of(draft: Draft, goals: Mapping[Goal, float]) -> Objective:
    """Give the steps in their order; goals of weight 0 are switched off."""
    weights = {goal: float(goals[goal]) for goal in GOALS if goals.get(goal)}
    terms = {goal: GOALS[goal](draft) for goal in weights}
    parts = {goal: _weighted(terms[goal], weights[goal]) for goal in terms}
    total = _sum(draft, list(parts.values()))
    unit = max(FINEST_USD, _largest(draft, total) / LARGEST_SUM)
    whole = _in_units(total, unit)
    common = _common_divisor(whole)
    steps = [
        *_levels(draft),
        Step(None, Expression(draft.drains().astype(np.int64)), 0),
        Step(None, Expression(draft.creates().astype(np.int64)), 0),
        *_unknown_price(draft),
        Step(None, _divided(whole, common), -int(LARGEST_SUM)),
    ]
    return Objective(
        steps=tuple(steps),
        weights=weights,
        terms=terms,
        single={goal: _in_units(part, unit) for goal, part in parts.items()},
        unit_usd=unit,
        rounding_usd={goal: _rounding(draft, part, unit) for goal, part in parts.items()},
    )


def _levels(draft: Draft) -> Iterator[Step]:
    """Give one step for each priority at which somebody can gain or lose, highest first."""
    snapshot, lanes = draft.snapshot, draft.lanes
    of_need = np.array([*(need.priority for need in snapshot.fleet.needs), 0], dtype=np.int64)
    gains = snapshot.demand.priority[lanes.demand]
    victims = draft.victims()
    loses = of_need[victims]
    hopeful = {limit.demand for limit in draft.limits if isinstance(limit, Choice)}
    for priority in sorted({*gains.tolist(), *loses[victims >= 0].tolist()}, reverse=True):
        per_lane = ((loses == priority) & (victims >= 0)).astype(np.int64)
        per_lane -= (gains == priority).astype(np.int64)
        most = 0
        for demand in np.unique(lanes.demand[gains == priority]).tolist():
            short = int(snapshot.demand.short[demand])
            if snapshot.fleet.needs[snapshot.demand.need[demand]].is_gang:
                most += short if demand in hopeful else 0
            else:
                most += min(short, int(lanes.most[lanes.demand == demand].sum()))
        yield Step(priority, Expression(per_lane), -most)


def _unknown_price(draft: Draft) -> Iterator[Step]:
    """Give a step that uses idle machines of unknown price last, where there are any."""
    snapshot, groups = draft.snapshot, draft.lanes.group
    price = snapshot.fleet.numbers.price_per_hour[snapshot.supply.machine_class[groups]]
    last = np.isnan(price) & (snapshot.supply.kind[groups] == SupplyKind.IDLE)
    if last.any():
        yield Step(None, Expression(last.astype(np.int64)), 0)


def _weighted(terms: Terms, weight: float) -> Terms:
    """Give weight x terms in USD, without the constant."""
    return Terms(
        np.clip(terms.per_lane * weight, -DEAREST_USD, DEAREST_USD),
        per_broken={n: min(cost * weight, DEAREST_USD) for n, cost in terms.per_broken.items()},
        deviations=tuple(
            Deviation(d.weight * weight, d.offset, d.slope, d.enter, d.leave)
            for d in terms.deviations
        ),
    )


def _sum(draft: Draft, parts: list[Terms]) -> Terms:
    per_lane = np.zeros(len(draft.lanes))
    per_broken: dict[int, float] = {}
    for part in parts:
        per_lane = per_lane + part.per_lane
        for need, cost in part.per_broken.items():
            per_broken[need] = per_broken.get(need, 0.0) + cost
    deviations = tuple(deviation for part in parts for deviation in part.deviations)
    return Terms(per_lane, per_broken=per_broken, deviations=deviations)


def _largest(draft: Draft, terms: Terms) -> float:
    """Bound the absolute value of the terms over all counts."""
    most = draft.lanes.most
    value = float(np.abs(terms.per_lane) @ most) + sum(terms.per_broken.values())
    return value + sum(d.weight * _farthest(d, most) for d in terms.deviations)


def _rounding(draft: Draft, terms: Terms, unit: float) -> float:
    """Bound by how much whole units differ from the terms, in USD, over all counts."""
    whole, most = _in_units(terms, unit), draft.lanes.most
    off = float(np.abs(terms.per_lane - whole.per_lane * unit) @ most)
    off += sum(abs(c - whole.per_broken[need] * unit) for need, c in terms.per_broken.items())
    return off + sum(
        abs(exact.weight - weight * unit) * _farthest(exact, most)
        for exact, (weight, _) in zip(terms.deviations, whole.deviations, strict=True)
    )


def _farthest(deviation: Deviation, most: Ints) -> float:
    reach = float(most[deviation.enter].sum() + most[deviation.leave].sum())
    return abs(deviation.offset) + deviation.slope * reach


def _in_units(terms: Terms, unit: float) -> Expression:
    return Expression(
        np.rint(terms.per_lane / unit).astype(np.int64),
        {need: round(cost / unit) for need, cost in terms.per_broken.items()},
        tuple((round(d.weight / unit), d) for d in terms.deviations),
    )


def _common_divisor(whole: Expression) -> int:
    """Give the largest number that divides every coefficient: small ones are solved faster."""
    weights = [weight for weight, _ in whole.deviations]
    return gcd(*whole.per_lane.tolist(), *whole.per_broken.values(), *weights) or 1


def _divided(whole: Expression, common: int) -> Expression:
    return Expression(
        whole.per_lane // common,
        {need: cost // common for need, cost in whole.per_broken.items()},
        tuple((weight // common, deviation) for weight, deviation in whole.deviations),
    )
