"""How much of a goal can be reached at most, computed in whole numbers from given prices.

Prices may come from anywhere: a bound holds for any that are not negative (Lagrangian relaxation
of the slots, of what is held and of the pools). With pi[t,s] for a slot of s machines in a rack of
type t, mu[t] for a machine of a pool, lambda[p] for a machine held at priority p:

    gain[c]  = s_c * ((1 if c is of the goal) + lambda[p_c])
    bound    = sum over racks   max(what it is worth alone, mu f + knapsack of f with pi[s] - mu s)
             + sum over gangs   max(0, gain - min over types (pi[t,s], or mu[t] s if spine-bound))
             - sum over p       lambda[p] * held[p]

The gangs of spines are bounded by the pools of a type together, not by each; and who is bound to a
rack may use any of its type. What is worth more than a floor allows is cut off: values are
multiples of the greatest common divisor of their sizes.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Reals
from rebalancer.problems.packing.blocks import drawn_types
from rebalancer.problems.packing.columns import RACK, Gangs, Racks
from rebalancer.problems.packing.model import Aim, Model
from rebalancer.problems.packing.question import Question

SCALE = 2**20
"""Prices are whole multiples of 1 / SCALE. Rounding them costs less than 0.1 machine of 60,000."""

DEAREST = 2**10
"""A price beyond that, per machine, is cut: sums stay below 2**63 up to 2**32 machines."""


@dataclass(frozen=True, eq=False, slots=True)
class Prices:
    """Prices in units of 1 / ``SCALE``, none negative.

    ``slot`` has shape ``(types, sizes + 1)``, by type and size; ``machine`` ``(types,)``; ``held``
    one entry for each priority that is held.
    """

    slot: Ints
    machine: Ints
    held: Ints

    def for_types(self, types: int) -> "Prices":
        """Give the same prices for so many types, where they are of one; else themselves."""
        if len(self.machine) == types:
            return self
        return Prices(
            np.repeat(self.slot, types, axis=0), np.repeat(self.machine, types), self.held
        )


def as_one_type(question: Question) -> Question:
    """Give the question in which nobody tells any types apart; racks become domains.

    Whatever holds in the question holds there. It is small, however many types there are.
    """
    racks, gangs = question.racks, question.gangs
    return Question(
        Racks(np.zeros_like(racks.type), np.arange(len(racks)), racks.spine, racks.free),
        Gangs(gangs.size, gangs.priority, np.zeros_like(gangs.types), gangs.level),
        np.ones((1, 1), dtype=np.bool_),
    )


def no_prices(question: Question, aim: Aim) -> Prices:
    """Give the prices at which everything is free: the bound is the demand, or all machines."""
    types = question.eligible.shape[1]
    size = int(question.gangs.size.max(initial=0))
    zeros = np.zeros(types, dtype=np.int64)
    held = np.zeros(len(aim.held), dtype=np.int64)
    return Prices(np.zeros((types, size + 1), dtype=np.int64), zeros, held)


def prices_from(question: Question, model: Model, aim: Aim, duals: Reals) -> Prices:
    """Round the duals of a model's rows, whose blocks are whole types."""
    prices = no_prices(question, aim)

    def whole(dual: float, machines: int = 1) -> int:
        most = DEAREST * machines
        return round(SCALE * min(max(dual, 0.0), most)) if np.isfinite(dual) else 0

    for (level, size, kind), row in model.slot_row.items():
        if level == RACK:
            prices.slot[kind, size] = whole(float(duals[row]), size)
    for number, row in model.pool_row.items():
        prices.machine[model.blocks[number].type] = whole(float(duals[row]))
    prices.held[:] = [whole(-float(duals[row])) for row in model.held_row]
    return prices


def bound(question: Question, aim: Aim, prices: Prices) -> int:
    """Give what the goal cannot exceed while earlier ones keep at least what is held.

    Raises
    ------
    ValueError
        When a price is negative, or beyond ``DEAREST`` for each of its machines.
    """
    sizes = np.arange(prices.slot.shape[1])
    for column, machines in ((prices.slot, sizes), (prices.machine, 1), (prices.held, 1)):
        if ((column < 0) | (column > SCALE * DEAREST * machines)).any():
            raise ValueError("a price is negative, or out of all proportion.")
    total = _racks(question, aim, prices) + _gangs(question, aim, prices)
    total -= sum(price * value for price, value in zip(prices.held.tolist(), aim.held, strict=True))
    is_last = aim.goal == len(question.priorities)
    gangs = question.gangs
    if is_last:
        parts = question.racks.free
    else:
        parts = gangs.size[gangs.priority == question.priorities[aim.goal]]
    step = max(1, int(np.gcd.reduce(parts, initial=0)))
    most: int = min(total // SCALE, int(parts.sum()), aim.most)
    return most // step * step


def _gangs(question: Question, aim: Aim, prices: Prices) -> int:
    """Give what gangs gain beyond the price of the cheapest slot, all together."""
    classes = question.classes
    rates = np.zeros(len(question.priorities) + 1, dtype=np.int64)
    rates[: aim.goal] = prices.held
    rates[aim.goal] = SCALE
    gain = classes.size * rates[classes.rank]
    types = np.arange(question.eligible.shape[1])
    fits = question.room[classes.level] >= classes.size[:, None]
    fits &= question.eligible[classes.types]
    by_slot = prices.slot[types[None, :], classes.size[:, None]]
    by_machine = classes.size[:, None] * prices.machine[None, :]
    price = np.where((classes.level == RACK)[:, None], by_slot, by_machine)
    surplus = np.where(fits, gain[:, None] - price, 0).max(axis=1, initial=0)
    return int(classes.count @ surplus)


def _racks(question: Question, aim: Aim, prices: Prices) -> int:
    """Give the most that racks earn at these prices, all together."""
    total = 0
    is_last = aim.goal == len(question.priorities)
    drawn_on = drawn_types(question)
    for kind in np.unique(question.racks.type).tolist():
        heights, counts = np.unique(
            question.racks.free[question.racks.type == kind], return_counts=True
        )
        machine = int(prices.machine[kind]) if drawn_on[kind] else 0
        sizes = np.arange(prices.slot.shape[1])
        best = _knapsack(prices.slot[kind] - machine * sizes, int(heights[-1]))
        earned = best[heights] + machine * heights
        if is_last:
            earned = np.maximum(earned, SCALE * heights)
        total += int(counts @ earned)
    return total


def _knapsack(values: Ints, room: int) -> Ints:
    """Give, for each number of machines up to ``room``, the best sum of values by size."""
    sizes = np.flatnonzero(values > 0)
    best = np.zeros(room + 1, dtype=np.int64)
    for free in range(1, room + 1 if len(sizes) else 0):
        fit = sizes[: np.searchsorted(sizes, free, side="right")]
        best[free] = max(best[free - 1], (best[free - fit] + values[fit]).max(initial=0))
    return best
