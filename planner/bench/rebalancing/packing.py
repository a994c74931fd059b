"""Seeded packings of named sizes, and how well and how fast they are packed."""

from dataclasses import dataclass

import numpy as np

from rebalancer.problems.packing.question import RACK, SPINE, Gangs, Question, Racks

LEVELS = (100, 10, 1)
"""Priorities."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a packing is made of.

    Attributes
    ----------
    racks, gangs, spines, types
        How many.
    free
        A rack has any number of free machines from the first to the last, both included, alike.
    sizes
        Of gangs bound to racks, each as often.
    shares
        Of the gangs, at each of ``LEVELS``.
    sets, widest
        Sets of types that gangs may have, each of 1 to ``widest`` types.
    spine_gangs, spine_sizes
        Gangs bound to spines beside the others, and their sizes.
    """

    racks: int
    gangs: int
    free: tuple[int, int]
    sizes: tuple[int, ...]
    shares: tuple[float, float, float] = (1 / 3, 1 / 3, 1 / 3)
    types: int = 1
    sets: int = 1
    widest: int = 1
    spines: int = 1
    spine_gangs: int = 0
    spine_sizes: tuple[int, ...] = ()


def packing(shape: Shape, seed: int = 0) -> Question:
    """Give the packing of a shape, another for each seed."""
    chance = np.random.default_rng(seed)
    racks = Racks(
        type=chance.integers(0, shape.types, shape.racks),
        domain=np.arange(shape.racks),
        spine=np.arange(shape.racks) * shape.spines // shape.racks,
        free=chance.integers(shape.free[0], shape.free[1] + 1, shape.racks),
    )
    eligible = np.zeros((shape.sets, shape.types), dtype=np.bool_)
    for row in eligible:
        row[chance.choice(shape.types, chance.integers(1, shape.widest + 1), replace=False)] = True
    level = np.repeat([RACK, SPINE], [shape.gangs, shape.spine_gangs])
    gangs = Gangs(
        size=np.concatenate([
            chance.choice(shape.sizes, shape.gangs),
            chance.choice(shape.spine_sizes or (1,), shape.spine_gangs),
        ]),
        priority=chance.choice(LEVELS, len(level), p=shape.shares),
        types=chance.integers(0, shape.sets, len(level)),
        level=level,
    )  # fmt: skip
    return Question(racks, gangs, eligible)
