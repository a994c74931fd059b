"""Seeded packings of named sizes, and how well and how fast they are packed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import monotonic

import numpy as np

from planner.bench.run import Run
from planner.bench.sample import Sample, measure
from rebalancer.limits import Limits
from rebalancer.problems.packing.answer import Packing
from rebalancer.problems.packing.columns import RACK, SPINE, Gangs, Racks
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.search import pack
from rebalancer.problems.packing.worth import key, nowhere

LEVELS = (100, 10, 1)
"""Priorities."""

SECONDS = 30.0
"""A packing may take so long."""

RUNS = 10
"""One run for so many of the hot path: with many types each takes all the time it may."""


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


POWERS = (4, 8, 16, 32, 64)
ALL_SIZES = tuple(range(3, 41))
MOSTLY_LOW = (0.2, 0.3, 0.5)
"""All of the two higher priorities have room then, so that the lowest shows what is lost."""

SHAPES = {
    "powers": Shape(3_000, 2_500, (0, 40), POWERS, types=4, sets=8, widest=3),
    # Greedy loses 5 % of the lowest priority.
    "uniform": Shape(1_720, 5_000, (30, 40), ALL_SIZES, MOSTLY_LOW),
    "four-types": Shape(3_000, 5_000, (0, 40), ALL_SIZES, types=4, sets=15, widest=4),
    "twelve-types": Shape(3_000, 5_000, (0, 40), ALL_SIZES, types=12, sets=400, widest=4),
    "spine-over-rack": Shape(
        2_400, 3_000, (0, 40), ALL_SIZES, MOSTLY_LOW, types=2, sets=3, widest=2,
        spines=60, spine_gangs=60, spine_sizes=tuple(range(48, 321, 16)),
    ),
}  # fmt: skip
"""By name."""


def packing(shape: Shape, seed: int = 0) -> Hall:
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
    return Hall(racks, gangs, eligible)


def packing_samples(run: Run) -> Iterator[Sample]:
    """Pack each named shape, within ``SECONDS`` by the clock."""
    for name, shape in SHAPES.items():
        question = packing(shape)
        gangs, machines = len(question.gangs), int(question.racks.free.sum())
        run.say(f"packing, {name}: {gangs} gangs, {len(question.racks)} racks")
        limits = Limits(SECONDS, clock=monotonic)
        timing, found = measure(partial(pack, question, limits), max(1, run.repeat // RUNS))
        yield Sample(f"packing, {name}", machines, gangs, timing, found=_found(question, found))


def _found(question: Hall, packing: Packing) -> dict[str, int | float | str]:
    """Say for each goal what greedy finds, what is found, the bound, and the gap in per cent."""
    greedy = key(question, best_fit(question, nowhere(question)))
    names = [*map(str, question.priorities.tolist()), "whole"]
    columns = zip(names, greedy, packing.values, packing.bounds, packing.gaps, strict=True)
    return {
        f"{what} {name}": figure
        for name, *figures, gap in columns
        for what, figure in zip(
            ("greedy", "found", "bound", "gap %"), (*figures, round(100 * gap, 4)), strict=True
        )
    }
