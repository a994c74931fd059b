"""What a search for a packing comes to, and what it shows of itself: homes, and prices."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.problems.packing.bound import Duals, bound
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.model import Aim
from rebalancer.problems.packing.worth import key, left_in, untouched


@dataclass(frozen=True, eq=False, slots=True)
class Packing:
    """Who stands where, and how good that can be at most.

    Attributes
    ----------
    home
        For each gang the row of its rack, or its pool (``Hall.pool``), or ``NOWHERE``.
    prices
        For each goal the prices that ``bound`` turns into a bound: the proof.
    values, bounds
        For each goal the value and what it cannot exceed, given the values before it. Goals are
        the priorities from the highest down, in machines, and then the machines of racks that
        nobody touched.
    """

    home: Ints
    prices: tuple[Duals, ...]
    values: tuple[int, ...]
    bounds: tuple[int, ...]

    @property
    def proven(self) -> bool:
        """Tell whether no answer is better."""
        return self.values == self.bounds

    @property
    def gaps(self) -> tuple[float, ...]:
        """Give for each goal what may be missing, as a share of what it and those before come to.

        A priority that is left with 200 of 60,000 machines is not 50 % worse for 100 of them.
        """
        gaps = []
        for goal, (value, most) in enumerate(zip(self.values, self.bounds, strict=True)):
            gaps.append((most - value) / max(1, sum(self.values[:goal]) + most))
        return tuple(gaps)


def packing_of(question: Hall, home: Ints, prices: tuple[Duals, ...]) -> Packing:
    """Value homes, which must hold, and bound each goal by its prices."""
    values = key(question, home)
    bounds = tuple(
        bound(question, aim_of(question, values, goal), prices[goal]) for goal in range(len(values))
    )
    return Packing(home, prices, values, bounds)


def aim_of(question: Hall, values: tuple[int, ...], goal: int) -> Aim:
    """Give a goal, with the values before it held; what these take no other goal can have."""
    held = values[:goal]
    return Aim(held, int(question.racks.free.sum()) - sum(held))


@dataclass(frozen=True, eq=False, slots=True)
class Takings:
    """How many machines of which rack a gang takes; all ``(N,)``, sorted by (gang, rack)."""

    gang: Ints
    rack: Ints
    count: Ints


def takings(question: Hall, home: Ints) -> Takings:
    """Say which racks the machines come from.

    A gang bound to a rack takes all from it. Those of a pool, by row, draw first on racks that
    others use, then on whole ones, never on those of ``untouched``; lower rows first.
    """
    gangs, racks, pool = question.gangs, question.racks, question.pool
    rack_left, _ = left_in(question, home)
    bound_to_rack = np.flatnonzero((gangs.level == RACK) & (home >= 0))
    drawing = np.flatnonzero((gangs.level == SPINE) & (home >= 0))
    drawing = drawing[np.argsort(home[drawing], kind="stable")]
    open_racks = np.flatnonzero((rack_left > 0) & ~untouched(question, home))
    is_whole = rack_left == racks.free
    order = np.lexsort((open_racks, is_whole[open_racks], pool[open_racks]))
    open_racks = open_racks[order]
    # Both sides laid end to end, each pool from a place of its own: where intervals meet, a gang
    # draws on a rack.
    far = int(racks.free.sum()) + 1
    gang_end = _ends(home[drawing], gangs.size[drawing], far)
    rack_end = _ends(pool[open_racks], rack_left[open_racks], far)
    gang_from = gang_end - gangs.size[drawing]
    rack_from = rack_end - rack_left[open_racks]
    first = np.searchsorted(rack_end, gang_from, side="right")
    last = np.searchsorted(rack_from, gang_end, side="left")
    met = last - first
    number = np.repeat(np.arange(len(drawing)), met)
    rack = np.arange(met.sum()) - np.repeat(np.cumsum(met) - met, met) + np.repeat(first, met)
    count = np.minimum(gang_end[number], rack_end[rack])
    count -= np.maximum(gang_from[number], rack_from[rack])
    gang = np.concatenate([bound_to_rack, drawing[number]])
    row = np.concatenate([home[bound_to_rack], open_racks[rack]])
    count = np.concatenate([gangs.size[bound_to_rack], count])
    by = np.lexsort((row, gang))
    return Takings(gang[by], row[by], count[by])


def _ends(pools: Ints, amounts: Ints, far: int) -> Ints:
    """Lay amounts, sorted by pool, end to end; a pool starts at its number times ``far``."""
    total = np.cumsum(amounts)
    first = np.searchsorted(pools, pools, side="left")
    before = np.concatenate([[0], total])[first]
    ends: Ints = total - before + pools * far
    return ends
