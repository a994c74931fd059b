"""Which other need could do with fewer machines: a lower one, or one as high.

What a need gives up is decided by phase 3's order, dearest first, so some of what it must give up
may be of no use to the need that is short; it gives up that much more.
"""

from dataclasses import dataclass, replace

import numpy as np

from models.cost import DEAREST_USD
from models.distinct import sums
from models.fleet import Ints, Mask, Reals
from models.need import Need
from models.rules import Rule
from rebalancer.explain.counting import Counting
from rebalancer.explain.parcels import Doing
from rebalancer.explain.scene import Scene

MOST_TRIED = 24
"""Needs of the lowest priorities that are looked at.

Three times what is tried of a kind of change, since some of them alone have too little.
"""

_HOLDS = (Doing.RUNS, Doing.ORDERED, Doing.BOUGHT)

_LIFTED = (Rule.PRIORITY, Rule.KEEPS_OWN, Rule.AVAILABLE)
"""What keeps from others a machine that is held as ``_HOLDS`` says."""


@dataclass(frozen=True, slots=True)
class Displacement:
    """Another need that gives up ``by`` machines, and the USD that are lost with them.

    ``damage`` takes the mean of what the need holds, since parcels do not say which it gives up.
    """

    row: int
    by: int
    damage: float


def displacements(counting: Counting) -> list[Displacement]:
    """Give the needs that could give up enough: lowest priority, fewest machines, least damage.

    A need that alone has too little is left out.
    """
    scene = counting.scene
    kept = scene.terms
    others = [term for term in kept if term.rule not in _LIFTED]
    holds = np.isin(scene.parcels.doing, _HOLDS) & ~counting.own & (counting.holder >= 0)
    useful = holds & counting.suits(others) & ~counting.suits(kept)
    have = sums(counting.holder[useful], counting.count[useful], len(scene.fleet.needs))
    needs = scene.fleet.needs
    tried = sorted(
        (
            row
            for row in np.flatnonzero(have).tolist()
            if needs[row].priority <= scene.need.priority
        ),
        key=lambda row: (needs[row].priority, -int(have[row]), row),
    )
    needed = counting.own | counting.suits(kept)
    if counting.values:
        needed |= counting.shard == scene.shard
    found, loss = [], _mean_loss(scene)
    for row in tried[:MOST_TRIED]:
        mine = holds & (counting.holder == row)
        rows = np.flatnonzero(needed | mine)
        by = _fewest(counting.only(rows), scene.parcels.doing[rows], mine[rows], useful[rows])
        if by is not None:
            by += int(scene.short[row])
            found.append(Displacement(row, by, _damage(needs[row], by, loss[row])))
    return sorted(found, key=lambda each: (needs[each.row].priority, each.by, each.damage))


def swaps(counting: Counting) -> list[Displacement]:
    """Give needs that could free another one's machines by taking less themselves.

    A cluster deals its machines out anew when one of its needs asks for less, so what a neighbour
    of a need held may then be of use. Only trying tells.
    """
    scene = counting.scene
    needs, clusters = scene.fleet.needs, scene.fleet.need_cluster
    found = displacements(counting)
    near = {int(clusters[each.row]) for each in found}
    known = {each.row for each in found}
    rows = [
        row
        for row, need in enumerate(needs)
        if int(clusters[row]) in near and row not in known and row != scene.row
        if need.priority <= scene.need.priority and need.count
    ]
    loss = _mean_loss(scene)
    for row in rows:
        by = min(needs[row].count, scene.lacks)
        found.append(Displacement(row, by, _damage(needs[row], by, loss[row])))
    return sorted(found, key=lambda each: (needs[each.row].priority, each.by, each.damage))


def _fewest(counting: Counting, doing: Ints, mine: Mask, useful: Mask) -> int | None:
    """Give how many machines must be given up; None where all are not enough."""
    kept, useful = counting.scene.terms, mine & useful
    if counting.gap(kept, useful).missing:
        return None
    price = np.nan_to_num(counting.price, nan=np.inf)
    rows = np.flatnonzero(mine)
    # What is ordered goes first, then the dearest; of like price what is of use goes last, since
    # parcels do not say which it is: a need may have to give up less.
    order = rows[
        np.lexsort(
            (
                useful[rows],
                -price[rows],
                np.isin(doing[rows], (Doing.ORDERED, Doing.BOUGHT), invert=True),
            )
        )
    ]
    before = np.cumsum(counting.count[order]) - counting.count[order]
    low, high = 0, int(counting.count[order].sum())
    while low < high:
        middle = (low + high) // 2
        count = counting.count.copy()
        count[order] = np.clip(middle - before, 0, count[order])
        if replace(counting, count=count).gap(kept, useful).missing:
            low = middle + 1
        else:
            high = middle
    return low


def _mean_loss(scene: Scene) -> Reals:
    """Give what is lost with a machine that a need holds, USD by its row, ``(N,)``."""
    parcels, needs = scene.parcels, len(scene.fleet.needs)
    held = np.isin(parcels.doing, _HOLDS) & (parcels.holder >= 0)
    holder, count = parcels.holder[held], parcels.count[held]
    usd = np.bincount(holder, count * parcels.loss_usd[held], needs)
    mean: Reals = usd / np.maximum(sums(holder, count, needs), 1)
    return mean


def _damage(need: Need, by: int, loss_usd: float) -> float:
    interrupted = 1 if need.is_gang else by
    return interrupted * min(need.interruption_penalty, DEAREST_USD) + by * float(loss_usd)
