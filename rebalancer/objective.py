"""The objectives in their order, as integer expressions to be minimised one after the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd

import numpy as np

from models.cost import DEAREST_USD
from models.fleet import Reals
from models.rules import Goal
from rebalancer.draft import Choice, Draft
from rebalancer.goals.catalogue import GOALS
from rebalancer.snapshot import SupplyKind
from rebalancer.terms import Expression, Terms

FINEST_USD = 1e-6
"""Costs are compared in whole micro-dollars, or coarser where sums would grow too large."""

FLOAT_NOISE = 1e-12
"""A ten-thousandth of a cent is no float; so much of an amount is not called rounding."""

LARGEST_SUM = 2.0**50
"""Bound on any sum of costs: far inside the solver's 64 bits, and exact in a float."""


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
        The goals that are switched on and that the snapshot is fine enough for.
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
    known = [goal for goal in GOALS if goal not in draft.snapshot.without]
    weights = {goal: float(goals[goal]) for goal in known if goals.get(goal)}
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
    arriving = np.zeros(len(snapshot.demand), dtype=np.int64)
    np.add.at(arriving, lanes.demand, lanes.most)
    priorities = np.union1d(gains, loses[victims >= 0])
    for priority in priorities[::-1].tolist():
        per_lane = ((loses == priority) & (victims >= 0)).astype(np.int64)
        per_lane -= (gains == priority).astype(np.int64)
        most = 0
        of_level = (snapshot.demand.priority == priority) & (arriving > 0)
        # What moves gains as much as it leaves.
        of_level &= ~snapshot.demand.migrates
        for demand in np.flatnonzero(of_level).tolist():
            short = int(snapshot.demand.short[demand])
            if snapshot.fleet.needs[snapshot.demand.need[demand]].is_gang:
                most += short if demand in hopeful else 0
            else:
                most += min(short, int(arriving[demand]))
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
        features=tuple(
            (max(-DEAREST_USD, min(factor * weight, DEAREST_USD)), feature)
            for factor, feature in terms.features
        ),
    )


def _sum(draft: Draft, parts: list[Terms]) -> Terms:
    per_lane = np.zeros(len(draft.lanes))
    for part in parts:
        per_lane = per_lane + part.per_lane
    return Terms(per_lane, features=tuple(pair for part in parts for pair in part.features))


def _largest(draft: Draft, terms: Terms) -> float:
    """Bound the absolute value of the terms over all counts."""
    most = draft.lanes.most
    value = float(np.abs(terms.per_lane) @ most)
    weighed = [(abs(factor), feature) for factor, feature in terms.features if factor]
    return value + sum(factor * feature.farthest(most) for factor, feature in weighed)


def _in_units(terms: Terms, unit: float) -> Expression:
    return Expression(
        np.rint(terms.per_lane / unit).astype(np.int64),
        tuple((round(factor / unit), feature) for factor, feature in terms.features),
    )


def _rounding(draft: Draft, terms: Terms, unit: float) -> float:
    """Bound by how much whole units differ from the terms, in USD, over all counts."""
    whole = _in_units(terms, unit)
    exact = np.array([factor for factor, _ in terms.features], dtype=np.float64)
    rounded = np.array([factor for factor, _ in whole.features], dtype=np.float64) * unit
    factors = _lost(exact, rounded).tolist()
    lost = tuple((f, feature) for f, (_, feature) in zip(factors, terms.features, strict=True))
    per_lane = _lost(terms.per_lane, whole.per_lane.astype(np.float64) * unit)
    return _largest(draft, Terms(per_lane, features=lost))


def _lost(exact: Reals, rounded: Reals) -> Reals:
    """Give exact - rounded, and 0 where no more than the float itself is off."""
    difference = exact - rounded
    return np.where(np.abs(difference) > FLOAT_NOISE * np.abs(exact), difference, 0.0)


def _common_divisor(whole: Expression) -> int:
    """Give the largest number that divides every coefficient: small ones are solved faster."""
    return gcd(*whole.per_lane.tolist(), *(factor for factor, _ in whole.features)) or 1


def _divided(whole: Expression, common: int) -> Expression:
    return Expression(
        whole.per_lane // common,
        tuple((factor // common, feature) for factor, feature in whole.features),
    )
