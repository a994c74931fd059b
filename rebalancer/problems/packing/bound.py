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
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.model import Aim, Model

SCALE = 2**20
"""Prices are whole multiples of 1 / SCALE. Rounding them costs less than 0.1 machine of 60,000."""

DEAREST = 2**10
"""A price beyond that, per machine, is cut: sums stay below 2**63 up to 2**32 machines."""

MOST_CELLS = 2**22
"""Rows of prices times machines of the largest rack times sizes: beyond, no knapsack is solved. So
many take 0.1 s of CPU; with 40 types the prices that a model has found come to less."""


@dataclass(frozen=True, eq=False, slots=True)
class Duals:
    """Prices of the relaxation in units of 1 / ``SCALE``, none negative.

    ``slot`` has shape ``(types, S)``, by type and place in ``slot_sizes`` of the question;
    ``machine`` ``(types,)``; ``held`` one entry for each priority that is held.
    """

    slot: Ints
    machine: Ints
    held: Ints

    def for_types(self, types: int) -> "Duals":
        """Give the same prices for so many types, where they are of one; else themselves."""
        if len(self.machine) == types:
            return self
        return Duals(np.repeat(self.slot, types, axis=0), np.repeat(self.machine, types), self.held)


def as_one_type(question: Hall) -> Hall:
    """Give the question in which nobody tells any types apart; racks become domains.

    Whatever holds in the question holds there. It is small, however many types there are.
    """
    racks, gangs = question.racks, question.gangs
    return Hall(
        Racks(np.zeros_like(racks.type), np.arange(len(racks)), racks.spine, racks.free),
        Gangs(gangs.size, gangs.priority, np.zeros_like(gangs.types), gangs.level),
        np.ones((1, 1), dtype=np.bool_),
    )


def no_prices(question: Hall, aim: Aim) -> Duals:
    """Give the prices at which everything is free: the bound is the demand, or all machines."""
    types = question.eligible.shape[1]
    shapes = ((types, len(question.slot_sizes)), types, len(aim.held))
    return Duals(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


def prices_from(question: Hall, model: Model, aim: Aim, duals: Reals) -> Duals:
    """Round the duals of a model's rows, whose blocks are whole types."""
    prices = no_prices(question, aim)

    def whole(dual: float, machines: int = 1) -> int:
        most = DEAREST * machines
        return round(SCALE * min(max(dual, 0.0), most)) if np.isfinite(dual) else 0

    for (level, size, kind), row in model.slot_row.items():
        if level == RACK:
            place = np.searchsorted(question.slot_sizes, size)
            prices.slot[kind, place] = whole(float(duals[row]), size)
    for number, row in model.pool_row.items():
        prices.machine[model.blocks[number].type] = whole(float(duals[row]))
    prices.held[:] = [whole(-float(duals[row])) for row in model.held_row]
    return prices


def bound(question: Hall, aim: Aim, prices: Duals) -> int:
    """Give what the goal cannot exceed while earlier ones keep at least what is held.

    Raises
    ------
    ValueError
        When prices are too few or too many, or one is negative or beyond ``DEAREST`` for each of
        its machines.
    """
    sizes, types = question.slot_sizes, question.eligible.shape[1]
    if (prices.slot.shape, prices.machine.shape) != ((types, len(sizes)), (types,)):
        raise ValueError("prices are those of other types or sizes.")
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
        is_sought = gangs.priority == question.priorities[aim.goal]
        parts = gangs.size[is_sought & question.has_hope]
    step = max(1, int(np.gcd.reduce(parts, initial=0)))
    most: int = min(total // SCALE, int(parts.sum()), aim.most)
    return most // step * step


def _gangs(question: Hall, aim: Aim, prices: Duals) -> int:
    """Give what gangs gain beyond the price of the cheapest slot, all together."""
    classes = question.classes
    rates = np.zeros(len(question.priorities) + 1, dtype=np.int64)
    rates[: aim.goal] = prices.held
    rates[aim.goal] = SCALE
    hopeful = np.flatnonzero(question.fits.any(axis=1))
    size, level = classes.size[hopeful], classes.level[hopeful]
    gain = size * rates[classes.rank[hopeful]]
    price = size[:, None] * prices.machine
    in_rack = level == RACK
    price[in_rack] = prices.slot.T[np.searchsorted(question.slot_sizes, size[in_rack])]
    surplus = np.where(question.fits[hopeful], gain[:, None] - price, 0).max(axis=1, initial=0)
    return int(classes.count[hopeful] @ surplus)


def _racks(question: Hall, aim: Aim, prices: Duals) -> int:
    """Give the most that racks earn at these prices, all together."""
    free, kind = question.racks.free, question.racks.type
    machine = np.where(drawn_types(question), prices.machine, 0)
    values = prices.slot - machine[:, None] * question.slot_sizes
    useful = np.flatnonzero((values > 0).any(axis=0))
    curves, curve = np.unique(np.maximum(values[:, useful], 0), axis=0, return_inverse=True)
    earned = _filled(question.slot_sizes[useful], curves, curve.reshape(-1)[kind], free)
    earned += machine[kind] * free
    if aim.goal == len(question.priorities):
        earned = np.maximum(earned, SCALE * free)
    return int(earned.sum())


def _filled(sizes: Ints, values: Ints, row: Ints, free: Ints) -> Ints:
    """Give what racks earn at most, ``(R,)``: each has its row of ``values``, ``(N, sizes)``.

    An unbounded knapsack, or where that would take ``MOST_CELLS`` its relaxation: all machines earn
    what those of the best slot that fits do.
    """
    room = int(free.max(initial=0))
    if len(values) * (room + 1) * max(1, len(sizes)) <= MOST_CELLS:
        return _knapsacks(sizes, values, room)[row, free]
    rates = np.zeros((len(values), len(sizes) + 1), dtype=np.int64)
    np.maximum.accumulate(-(-values // sizes), axis=1, out=rates[:, 1:])
    rate: Ints = rates[row, np.searchsorted(sizes, free, side="right")]
    return rate * free


def _knapsacks(sizes: Ints, values: Ints, room: int) -> Ints:
    """Give the best sum of values in up to ``room`` machines, ``(N, room + 1)``.

    Size by size, each as often as it fits: with the machines in laps of one size, row by row, that
    is a running maximum of what is there less the price of the slots so far.
    """
    best = np.zeros((len(values), room + 1), dtype=np.int64)
    for size, value in zip(sizes.tolist(), values.T, strict=True):
        turns = -(-(room + 1) // size)
        laps = np.zeros((len(values), turns, size), dtype=np.int64)
        laps.reshape(len(values), -1)[:, : room + 1] = best
        slots = value[:, None, None] * np.arange(turns)[:, None]
        laps -= slots
        np.maximum.accumulate(laps, axis=1, out=laps)
        laps += slots
        best = laps.reshape(len(values), -1)[:, : room + 1]
    return best
