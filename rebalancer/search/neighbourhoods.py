"""Which lanes to free together: those who compete for the same machines, around one limit each."""

from collections.abc import Iterator

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.search.best import Best
from rebalancer.search.part import Parts

ROUNDS = 4
"""A limit, those who share its lanes, what else they use, and who competes for that."""

SAMPLE = 64
"""Unused lanes that are looked at in each round: where else somebody could go."""


def neighbourhoods(parts: Parts, best: Best, size: int, seed: int) -> Iterator[Ints]:
    """Give about ``size`` lanes around each limit, ascending; where most can be gained first.

    What can be gained is read off the first step that is not proven: the machines that could still
    arrive where they count, or be spared where they cost. Ties, and what is tried first within a
    neighbourhood, are mixed by the seed.
    """
    question, sets = parts.whole, parts.limits
    lengths = np.diff(sets.starts)
    # A limit over nearly everything is around everybody; it is kept by its room that is left.
    is_local = lengths <= max(size, len(question.shape) // 2)
    order = _mixed(len(question.shape), seed)
    of_sets = np.zeros(len(lengths))
    np.add.at(of_sets, sets.owner, _gain(best)[sets.lanes])
    seeds = np.lexsort((_mixed(len(lengths), seed), -of_sets))
    for start in seeds[is_local[seeds] & (lengths[seeds] > 0)].tolist():
        yield _around(parts, best.counts, start, size, is_local, order)


def _around(parts: Parts, counts: Ints, start: int, size: int, is_local: Mask, order: Ints) -> Ints:
    """Grow a set of limits from one; free the lanes that only these limits hold."""
    sets = parts.limits
    chosen = np.array([start], dtype=np.int64)
    for _ in range(ROUNDS):
        lanes = np.unique(sets.lanes_of(chosen))
        lanes = lanes[np.lexsort((order[lanes], counts[lanes] == 0))]
        used = int(np.count_nonzero(counts[lanes]))
        more = sets.of_lanes(lanes[: min(used, size) + SAMPLE])
        more = np.union1d(chosen, more[is_local[more]])
        if len(more) == len(chosen):
            break
        chosen = more
        free = _inside(parts, chosen, is_local)
        if len(free) >= size:
            break
    free = _inside(parts, chosen, is_local)
    free = free[np.lexsort((order[free], counts[free] == 0))][:size]
    return parts.closed(np.sort(free), counts)


def _inside(parts: Parts, chosen: Ints, is_local: Mask) -> Ints:
    """Give the lanes all of whose limits are chosen, those over nearly everything aside."""
    sets = parts.limits
    lanes, times = np.unique(sets.lanes_of(chosen), return_counts=True)
    degree = np.add.reduceat(is_local[sets.sets].astype(np.int64), sets.lane_starts[:-1][lanes])
    inside: Ints = lanes[times >= degree]
    return inside


def _gain(best: Best) -> Ints:
    """Give how much a lane could change the first step that is not proven, ``(X,)``."""
    question = best.question
    open_steps = (n for n, v in enumerate(best.values) if best.bounds[n] < v)
    cost = question.steps[next(open_steps, -1)].expression.per_lane
    spare = question.shape.most - best.counts
    gain: Ints = np.where(cost < 0, -cost * spare, cost * best.counts)
    return gain


def _mixed(size: int, seed: int) -> Ints:
    """Give numbers in an order that depends on the seed only [splitmix64, Steele et al. 2014]."""
    with np.errstate(over="ignore"):
        state = np.arange(1, size + 1, dtype=np.uint64) + np.uint64(seed % 2**32) * np.uint64(size)
        state *= np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = (state ^ (state >> np.uint64(31))) >> np.uint64(1)
    return mixed.astype(np.int64)
