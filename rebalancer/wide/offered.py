"""What a snapshot offers and wants, counted for a flow."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.cost import DEAREST_USD
from models.distinct import alike, distinct_rows, sums
from models.fleet import Ints, Reals
from models.rules import Goal
from rebalancer.problems.transfer.exchange import Costs, Exchange, Wanted
from rebalancer.problems.transfer.offers import NOBODY, Offers, Tier
from rebalancer.snapshot import Snapshot, SupplyKind

TIERS = np.array([Tier.IDLE, Tier.SPECULATIVE, Tier.DRAIN, Tier.DRAIN], dtype=np.int64)
"""By code of ``SupplyKind``."""

NO_NEED = np.empty(0, dtype=np.int64)

NO_LIMIT = 2**40
"""Machines that a shard drains at most: windows limit what is applied, not what is planned."""


@dataclass(frozen=True, eq=False, slots=True)
class Offered:
    """A snapshot's groups as offers to some of its demands.

    Attributes
    ----------
    priorities
        Shape ``(P,)``, ascending: those of all demands and victims.
    thing
        Shape ``(G,)``. What these demands can tell apart: whom it may serve, and the class.
    eligible
        Shape ``(K, demands)``. Whom each thing may serve.
    offers, row
        The offers, and the row of each group among them, ``(G,)``.
    """

    priorities: Ints
    thing: Ints
    eligible: NDArray[np.bool_]
    offers: Offers
    row: Ints


def offered(snapshot: Snapshot, demands: Ints, spared: Ints) -> Offered:
    """Count the groups by donor, thing, tier and level of what runs there.

    ``spared`` are rows of needs that lose nothing.
    """
    supply = snapshot.supply
    of_need = np.array([*(need.priority for need in snapshot.fleet.needs), 0], dtype=np.int64)
    of_victim = of_need[supply.victim]
    runs = (supply.victim >= 0) & ~np.isin(supply.victim, spared)
    priorities = np.unique(np.concatenate([snapshot.demand.priority, of_victim[runs]]))
    level = np.where(runs, np.searchsorted(priorities, of_victim), NOBODY)
    # Many groups may serve the same needs: so few rows are left to look through.
    one, whom = distinct_rows(np.packbits(snapshot.eligible, axis=1))
    few = snapshot.eligible[one][:, demands]
    whom = distinct_rows(np.packbits(few, axis=1))[1][whom]
    kinds, thing = _distinct(supply.machine_class, whom)
    tier = TIERS[supply.kind]
    first, row = _distinct(supply.shard, thing, tier, level)
    count = sums(row, supply.count, len(first))
    donor, of_thing, of_tier, of_level = (
        column[first].astype(np.int64) for column in (supply.shard, thing, tier, level)
    )
    offers = Offers(donor, of_thing, of_tier, of_level, count)
    eligible = snapshot.eligible[kinds][:, demands]
    return Offered(priorities, thing, eligible, offers, row)


def _distinct(*columns: Ints) -> tuple[Ints, Ints]:
    """Give where each distinct row stands first, and the number of each row."""
    groups = alike(columns, len(columns[0]))
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for rank, rows in enumerate(groups):
        number[rows] = rank
    return np.array([rows[0] for rows in groups], dtype=np.int64), number


def question_of(
    snapshot: Snapshot, demands: Ints, weights: Mapping[Goal, float], spared: Ints = NO_NEED
) -> tuple[Exchange, Offered]:
    """Give the question in which donors keep nothing and nobody minds who the donor is.

    Machines go to whoever is far enough above what runs there; receivers are all one shard that
    offers nothing.
    """
    fleet, demand = snapshot.fleet, snapshot.demand
    found = offered(snapshot, demands, spared)
    nowhere = len(fleet.shards)
    penalty = [fleet.needs[row].interruption_penalty for row in demand.need[demands].tolist()]
    wanted = Wanted(
        receiver=np.full(len(demands), nowhere, dtype=np.int64),
        profile=np.arange(len(demands), dtype=np.int64),
        level=np.searchsorted(found.priorities, demand.priority[demands]).astype(np.int64),
        penalty_usd=np.minimum(np.array(penalty, dtype=np.float64), DEAREST_USD),
        short=demand.short[demands],
    )
    question = Exchange(
        priorities=found.priorities,
        eligible=np.ascontiguousarray(found.eligible.T),
        offers=found.offers,
        wanted=wanted,
        costs=_costs(snapshot, found, weights),
        most_drains=np.full(nowhere + 1, NO_LIMIT, dtype=np.int64),
        min_gap=snapshot.rules.min_gap,
        most_moves=snapshot.rules.max_moves,
    )
    return question, found


def _costs(snapshot: Snapshot, found: Offered, weights: Mapping[Goal, float]) -> Costs:
    """Weigh the linear goals, near enough: what differs inside a thing or a level is averaged."""
    supply, numbers = snapshot.supply, snapshot.fleet.numbers
    weight = {goal: float(weights.get(goal, 0.0)) for goal in Goal}
    price = numbers.price_per_hour[supply.machine_class]
    take = weight[Goal.MOVES] + weight[Goal.TIME_TO_READY] * supply.ready_seconds
    new = supply.kind == SupplyKind.SPECULATIVE
    take = take + np.where(new, weight[Goal.RUNNING_COST] * np.nan_to_num(price), 0.0)
    take = np.minimum(take, DEAREST_USD)
    things = len(found.eligible)
    by_kind = _mean(TIERS[supply.kind] * things + found.thing, take, len(Tier) * things)
    by_kind = by_kind.reshape(len(Tier), things)
    unknown = np.isnan(price) & (supply.kind == SupplyKind.IDLE)
    by_kind[Tier.IDLE, found.thing[unknown]] = np.nan
    levels = len(found.priorities)
    level = found.offers.level[found.row]
    penalties = [min(need.interruption_penalty, DEAREST_USD) for need in snapshot.fleet.needs]
    each = supply.penalty + np.array([*penalties, 0.0])[supply.victim]
    lose = _mean(np.where(level == NOBODY, levels, level), each, levels + 1)
    lose[levels] = 0.0
    risk = np.zeros(things)
    risk[found.thing] = numbers.interruption_probability[supply.machine_class]
    return Costs(
        by_kind, weight[Goal.PREEMPTION_DAMAGE] * lose, weight[Goal.INTERRUPTION_RISK] * risk
    )


def _mean(place: Ints, value: Reals, places: int) -> Reals:
    count = np.bincount(place, minlength=places)
    mean: Reals = np.bincount(place, value, places) / np.maximum(count, 1)
    return mean
