"""What a gang that moves leaves to whom: the limit by itself, by the solver, and in parts."""

import random
from itertools import product

import numpy as np
import pytest

from rebalancer.draft import Cap, Choice, Relocation, Shape
from rebalancer.limits import Limits
from rebalancer.question import Question
from rebalancer.search.part import Parts
from rebalancer.solver import Solver
from rebalancer.terms import Expression


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def move(heirs: tuple[bool, ...], evictors: tuple[bool, ...]) -> Relocation:
    """Two machines move over lane 0; lanes 1 and 2 lead to one taker, lane 3 to another."""
    who = [np.array(mask, dtype=np.bool_) for mask in (heirs, evictors)]
    return Relocation(ints(0), 2, (ints(1, 2), ints(3)), *who)


@pytest.mark.parametrize(
    ("counts", "holds"),
    [
        ((0, 0, 0, 0), True),
        ((2, 1, 1, 0), True),
        ((2, 2, 0, 0), True),
        ((2, 1, 0, 0), False),
        ((2, 0, 0, 0), False),
        ((2, 1, 0, 1), False),
        ((2, 1, 1, 2), False),
        ((2, 0, 0, 2), False),
        ((0, 1, 0, 0), False),
        ((0, 0, 0, 1), True),
    ],
)
def test_one_heir_takes_all_of_who_moves_and_nobody_else_any(counts, holds):
    """The first taker may only inherit, the second only evict."""
    assert move((True, False), (False, True)).holds(ints(*counts)) is holds


MASKS = list(product((False, True), repeat=2))


def shape_of(heirs: tuple[bool, ...], evictors: tuple[bool, ...]) -> Shape:
    """Give a gang that moves whole; each of its machines is taken once."""
    once, whole = Cap(ints(1, 2, 3), 2), Choice(0, 2, (ints(0),))
    return Shape(ints(2, 2, 2, 2), (once, whole, move(heirs, evictors)))


@pytest.mark.parametrize("heirs", MASKS)
@pytest.mark.parametrize("evictors", MASKS)
def test_the_solver_allows_what_the_limit_allows(heirs, evictors):
    shape = shape_of(heirs, evictors)
    every = [ints(*counts) for counts in product(range(3), repeat=4)]
    for seed in range(6):
        chance = random.Random(seed)
        price = ints(*(chance.randint(-4, 4) for _ in range(4)))
        best = min(int(price @ counts) for counts in every if shape.holds(counts))
        answer = Solver(shape).minimise(Expression(price), ints(0, 0, 0, 0), Limits(None))
        assert answer.counts is not None
        assert shape.holds(answer.counts)
        assert int(price @ answer.counts) == answer.bound == best


def test_a_part_allows_what_the_whole_allows():
    for heirs, evictors in product(MASKS, repeat=2):
        shape = shape_of(heirs, evictors)
        every = [ints(*counts) for counts in product(range(3), repeat=4)]
        for counts in (counts for counts in every if shape.holds(counts)):
            parts = Parts(Question(shape, (), (), counts, Limits(None)))
            for lane in range(4):
                free = parts.closed(ints(lane), counts)
                part = parts.part(free, counts, Limits(None)).shape
                for inside in product(range(3), repeat=len(free)):
                    whole = counts.copy()
                    whole[free] = inside
                    assert part.holds(ints(*inside)) == shape.holds(whole)
