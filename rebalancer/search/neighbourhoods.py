"""Which lanes to free together: those who compete for the same machines, around one limit each."""

from collections.abc import Iterator
from dataclasses import dataclass

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
    held_by = np.bincount(sets.lanes[is_local[sets.owner]], minlength=len(question.shape))
    ground = _Ground(parts, is_local, held_by, _mixed(len(question.shape), seed))
    of_sets = np.zeros(len(lengths))
    np.add.at(of_sets, sets.owner, _gain(best)[sets.lanes])
    seeds = np.lexsort((_mixed(len(lengths), seed), -of_sets))
    for start in seeds[is_local[seeds] & (lengths[seeds] > 0)].tolist():
        yield _around(ground, best.counts, start, size)


@dataclass(frozen=True, eq=False, slots=True)
class _Ground:
    """Where neighbourhoods lie: which limits are local, ``(S,)``, how many of these hold each lane
    and in which order lanes are tried, both ``(X,)``.
    """

    parts: Parts
    is_local: Mask
    held_by: Ints
    order: Ints

    def inside(self, chosen: Ints) -> Ints:
        """Give the lanes all of whose local limits are chosen."""
        lanes, times = np.unique(self.parts.limits.lanes_of(chosen), return_counts=True)
        inside: Ints = lanes[times >= self.held_by[lanes]]
        return inside


def _around(ground: _Ground, counts: Ints, start: int, size: int) -> Ints:
    """Grow a set of limits from one; free the lanes that only these hold, used ones first."""
    sets, order = ground.parts.limits, ground.order
    chosen = np.array([start], dtype=np.int64)
    for _ in range(ROUNDS):
        lanes = np.unique(sets.lanes_of(chosen))
        lanes = lanes[np.lexsort((order[lanes], counts[lanes] == 0))]
        used = int(np.count_nonzero(counts[lanes]))
        more = sets.of_lanes(lanes[: min(used, size) + SAMPLE])
        more = np.union1d(chosen, more[ground.is_local[more]])
        if len(more) == len(chosen):
            break
        chosen = more
        if len(ground.inside(chosen)) >= size:
            break
    free = ground.inside(chosen)
    free = free[np.lexsort((order[free], counts[free] == 0))][:size]
    return ground.parts.closed(np.sort(free), counts)


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
