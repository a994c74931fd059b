"""Which lanes are freed together: those of one limit and who competes with it, in a fixed order."""

import numpy as np
from questions import UNLIMITED, Tiny, ints

from rebalancer.draft import Cap, Shape
from rebalancer.objective import Step
from rebalancer.question import Question
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.neighbourhoods import neighbourhoods
from rebalancer.search.part import Parts
from rebalancer.search.roam import roam
from rebalancer.terms import Expression


def grid(groups: int, needs: int) -> Question:
    """Ask who of ``needs`` gets the one machine of each of ``groups``; need n is worth n + 1."""
    lanes = np.arange(groups * needs).reshape(groups, needs)
    caps = [Cap(row, 1) for row in lanes] + [Cap(column, 2) for column in lanes.T]
    worth = np.tile(-1 - np.arange(needs), groups)
    step = Step(None, Expression(worth), -(2**40))
    start = np.zeros(groups * needs, dtype=np.int64)
    return Question(Shape(np.ones_like(start), tuple(caps)), (step,), (), start, UNLIMITED)


def around(question: Question, size: int, seed: int) -> list[list[int]]:
    best = Best(question)
    return [f.tolist() for f in neighbourhoods(Parts(question), best, size, seed)]


def test_each_is_closed_and_sorted_and_together_they_hold_every_lane():
    for seed in range(60):
        tiny = Tiny(seed, islands=1)
        question, parts = tiny.question, Parts(tiny.question)
        found = around(question, tiny.size, seed)
        held = {lane for free in found for lane in free}
        assert held == set(parts.limits.lanes.tolist())
        for free in found:
            assert free == sorted(set(free))
            assert parts.closed(ints(*free), question.start).tolist() == free


def test_one_around_each_limit_where_most_can_be_gained_first():
    question = grid(4, 3)
    found = around(question, 4, 0)
    assert len(found) == 7
    # The last need is worth most, and could get most.
    assert set(found[0]) & {2, 5, 8, 11}
    assert max(map(len, found)) <= 4


def test_the_same_seed_gives_the_same_and_another_does_not():
    question = grid(8, 6)
    assert around(question, 10, 1) == around(question, 10, 1)
    assert around(question, 10, 1) != around(question, 10, 2)


def test_those_who_compete_are_freed_together():
    """Both needs want the one machine; neither can be given it without the other's lane."""
    question = grid(1, 2)
    assert [0, 1] in around(question, 2, 0)


def test_small_neighbourhoods_find_what_they_hold():
    question = grid(6, 4)
    best = Best(question)
    roam(best, Budget(UNLIMITED), 4)
    assert best.values == (-(4 * 2 + 3 * 2 + 2 * 2),)
    assert best.is_proven
