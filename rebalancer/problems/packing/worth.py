"""What an answer is worth, and whether it is allowed; nothing here knows how it was found.

An answer is the *home* of each gang, ``(G,)``: the row of its rack or, for a gang bound to a spine,
its pool, or ``NOWHERE``.
"""

import numpy as np

from models.distinct import sums
from models.fleet import Ints, Mask
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.hall import Hall

NOWHERE = -1
"""The home of a gang that is not served."""


def nowhere(question: Hall) -> Ints:
    """Give the homes where no gang is served, ``(G,)``."""
    return np.full(len(question.gangs), NOWHERE, dtype=np.int64)


def left_in(question: Hall, home: Ints) -> tuple[Ints, Ints]:
    """Give what rack-bound gangs leave of each rack, and what all leave of each pool."""
    racks, gangs, pool = question.racks, question.gangs, question.pool
    in_rack = (gangs.level == RACK) & (home >= 0)
    in_pool = (gangs.level == SPINE) & (home >= 0)
    rack_left = racks.free - sums(home[in_rack], gangs.size[in_rack], len(racks))
    pools = len(question.pool_type)
    pool_left = sums(pool, rack_left, pools) - sums(home[in_pool], gangs.size[in_pool], pools)
    return rack_left, pool_left


def holds(question: Hall, home: Ints) -> bool:
    """Tell whether homes, ``(G,)``, are allowed: a rack's row or a pool each, or ``NOWHERE``."""
    gangs = question.gangs
    if home.shape != (len(gangs),) or home.dtype != np.int64:
        return False
    places = np.where(gangs.level == RACK, len(question.racks), len(question.pool_type))
    if ((home < NOWHERE) | (home >= places)).any():
        return False
    for level, types in ((RACK, question.racks.type), (SPINE, question.pool_type)):
        served = (gangs.level == level) & (home >= 0)
        if not question.eligible[gangs.types[served], types[home[served]]].all():
            return False
    rack_left, pool_left = left_in(question, home)
    return bool((rack_left >= 0).all() and (pool_left >= 0).all())


def served(question: Hall, home: Ints) -> tuple[int, ...]:
    """Give the machines that serve gangs of each priority, from the highest down."""
    gangs = question.gangs
    taken = np.where(home >= 0, gangs.size, 0)
    return tuple(int(taken[gangs.priority == p].sum()) for p in question.priorities)


def untouched(question: Hall, home: Ints) -> Mask:
    """Mark the racks that nobody need touch, ``(R,)``: of all ways to stand, the best.

    A rack without free machines counts as touched. In a pool with gangs of its own the empty racks
    to spare are a subset sum, solved exactly; of equal ones the larger racks are spared.
    """
    rack_left, pool_left = left_in(question, home)
    spared: Mask = (rack_left == question.racks.free) & (rack_left > 0)
    drawn = sums(question.pool, rack_left, len(pool_left)) - pool_left
    for pool in np.flatnonzero(drawn).tolist():
        rows = question.pool_rows[pool]
        rows = rows[spared[rows]]
        spared[rows] = False
        order = rows[np.argsort(-question.racks.free[rows], kind="stable")]
        spared[_subset(order, question.racks.free[order], int(pool_left[pool]))] = True
    return spared


def _subset(rows: Ints, sizes: Ints, most: int) -> Ints:
    """Give the rows whose sizes come closest to ``most`` from below."""
    reached = [1]  # Bit n of an entry: some of the last rows make n.
    for size in sizes[::-1].tolist():
        reached.append(reached[-1] | reached[-1] << size)
    left = (reached[-1] & ((1 << (most + 1)) - 1)).bit_length() - 1
    chosen = []
    for row, size, rest in zip(rows.tolist(), sizes.tolist(), reached[-2::-1], strict=True):
        if left >= size and rest >> (left - size) & 1:
            chosen.append(row)
            left -= size
    return np.array(chosen, dtype=np.int64)


def whole(question: Hall, home: Ints) -> int:
    """Give the machines of racks that nobody need touch."""
    return int(question.racks.free[untouched(question, home)].sum())


def key(question: Hall, home: Ints) -> tuple[int, ...]:
    """Give what the homes are worth, goal by goal; the larger tuple is the better answer."""
    return (*served(question, home), whole(question, home))
