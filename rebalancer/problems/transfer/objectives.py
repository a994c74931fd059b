"""What is minimised, one after the other, as whole costs on the arcs.

Each is held at its least by all that come after it:

    serving    for each level p, the highest first: machines lost at p - machines gained at p
    drained    machines drained
    created    machines created
    unpriced   idle machines of unknown price
    cost       sum of take + lose + risk x penalty, in units of ``unit_usd``

Serving is the net of what victims lose, as in ``rebalancer.objective``: nobody is drained only for
another to stand in its place.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from models.fleet import Ints, Reals
from rebalancer.objective import FINEST_USD
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.groups import Groups
from rebalancer.problems.transfer.network import Network
from rebalancer.problems.transfer.offers import Tier

UNITS = 2**14
"""Units in a middling cost: what rounding hides is about a hundredth of a percent. Finer ones are
slower: 20,000 distinct shortfalls took 4.2 s with 30 times as many, 3.6 s with a quarter, in time
on a busy core."""

MOST_UNITS = 2**32
"""Units in the largest cost, at most: the solver multiplies it by weights and nodes."""


class Measure(StrEnum):
    """What an objective is about."""

    SERVING = "serving"
    DRAINED = "drained"
    CREATED = "created"
    UNPRICED = "unpriced"
    COST = "cost"


@dataclass(frozen=True, eq=False, slots=True)
class ArcCost:
    """What a machine on each arc adds to one of them, ``(A,)``; ``level`` is that of SERVING."""

    measure: Measure
    level: int | None
    cost: Ints


@dataclass(frozen=True, eq=False, slots=True)
class Objectives:
    """All in their order; the last is the cost in units of ``unit_usd``.

    ``rounding_usd`` bounds by how much rounding to units changes the cost of any plan.
    """

    all: tuple[ArcCost, ...]
    unit_usd: float
    rounding_usd: float


def objectives_of(question: Exchange, groups: Groups, network: Network) -> Objectives:
    """Give the objectives on which something can change."""
    nothing = np.zeros(len(network.arcs), dtype=np.int64)
    lost = question.offers.level[network.drained.offer]
    found = []
    for level in range(len(question.priorities) - 1, -1, -1):
        cost = nothing.copy()
        cost[network.served] = -(groups.level == level).astype(np.int64)
        cost[network.drained.at] = lost == level
        found.append(ArcCost(Measure.SERVING, level, cost))
    for measure, at, counts in (
        (Measure.DRAINED, network.donor, np.ones(len(question.most_drains))),
        (Measure.CREATED, network.free.at, network.free.tier == Tier.SPECULATIVE),
        (Measure.UNPRICED, network.free.at, np.isnan(_taken(question, network))),
    ):
        cost = nothing.copy()
        cost[at] = counts
        found.append(ArcCost(measure, None, cost))
    last, unit, rounding = _cost(question, groups, network)
    counted = tuple(objective for objective in found if objective.cost.any())
    return Objectives((*counted, ArcCost(Measure.COST, None, last)), unit, rounding)


def _taken(question: Exchange, network: Network) -> Reals:
    taken: Reals = question.costs.take[network.free.tier, network.free.thing]
    return taken


def _cost(question: Exchange, groups: Groups, network: Network) -> tuple[Ints, float, float]:
    """Give the cost of each arc in units, what a unit is, and the error of rounding, in USD."""
    costs, offers, use = question.costs, question.offers, network.use
    drained = network.drained.offer
    parts = (
        (network.free.at, np.nan_to_num(_taken(question, network))),
        (
            network.drained.at,
            costs.take[Tier.DRAIN, offers.thing[drained]] + costs.lose[offers.level[drained]],
        ),
        (use.at, costs.risk[use.thing] * groups.penalty_usd[use.group]),
    )
    some = np.abs(np.concatenate([usd[usd != 0] for _, usd in parts[:2]]))
    largest = max(float(np.abs(usd).max(initial=0.0)) for _, usd in parts)
    middling = float(np.median(some)) if len(some) else 0.0
    unit = max(FINEST_USD, middling / UNITS, largest / MOST_UNITS)
    cost, off = np.zeros(len(network.arcs), dtype=np.int64), []
    for at, usd in parts:
        cost[at] = np.rint(usd / unit)
        off.append(float(np.abs(usd - cost[at] * unit).max(initial=0.0)))
    free, drain, risk = off
    # A machine takes one arc that gives it and one that uses it.
    most = network.arcs.most
    free_most, drained_most, donor_most, total, wanted = (
        int(most[at].sum())
        for at in (
            network.free.at, network.drained.at, network.donor, network.total, network.served
        )
    )  # fmt: skip
    machines = min(free_most + min(drained_most, donor_most), total, wanted)
    return cost, unit, (max(free, drain) + risk) * machines
