"""A part asks about its lanes exactly what the whole asks where all others stay."""

import random

import numpy as np
import pytest
from questions import UNLIMITED, Tiny, ints

from rebalancer.draft import Shape, Skew
from rebalancer.objective import Step
from rebalancer.question import Question
from rebalancer.search.part import Parts, least
from rebalancer.terms import Bins, Expression, Feature, distance


def test_a_part_allows_what_the_whole_allows_and_differs_by_a_constant():
    for seed in range(200):
        tiny = Tiny(seed, islands=1)
        chance = random.Random(seed)
        counts = chance.choice(tiny.legal)
        parts = Parts(tiny.question)
        some = np.flatnonzero([chance.random() < 0.5 for _ in range(tiny.size)])
        free = parts.closed(some, counts)
        part = parts.part(free, counts, UNLIMITED)
        fixed = np.setdiff1d(np.arange(tiny.size), free)
        seen = set()
        for legal in tiny.legal:
            if (legal[fixed] == counts[fixed]).all():
                seen.add(tuple(legal[free].tolist()))
        constants = set()
        for at in np.ndindex(*(part.shape.most + 1).tolist()):
            inside = np.array(at, dtype=np.int64)
            assert part.shape.holds(inside) is (at in seen), (seed, at)
            if at in seen:
                whole = counts.copy()
                whole[free] = inside
                pairs = zip(tiny.question.key(whole), part.key(inside), strict=True)
                single = tiny.question.singles[0].value(whole) - part.singles[0].value(inside)
                constants.add((*(a - b for a, b in pairs), single))
        assert len(constants) == 1, seed
        assert part.start.tolist() == counts[free].tolist()


def test_what_is_closed_holds_the_lanes_and_no_more_than_ties_ask_for():
    for seed in range(200):
        tiny = Tiny(seed, islands=1, plain=True)
        some = np.arange(0, tiny.size, 2)
        found = Parts(tiny.question).closed(some, tiny.question.start)
        assert found.tolist() == some.tolist()


def test_steps_and_singles_share_their_features():
    shared = 0
    for seed in range(100):
        question = Tiny(seed).question
        part = Parts(question).part(np.arange(len(question.shape)), question.start, UNLIMITED)
        in_steps = {id(f) for step in part.steps for _, f in step.expression.features}
        assert {id(f) for _, f in part.singles[0].features} <= in_steps
        shared += bool(part.singles[0].features)
    assert shared > 10


def test_nothing_is_less_than_the_least():
    for seed in range(200):
        tiny = Tiny(seed)
        for step in tiny.question.steps:
            bound = least(step.expression, tiny.shape.most)
            assert bound <= min(map(step.expression.value, tiny.legal))


def cut(shape: Shape, counts: list[int], free: list[int], *features: Feature) -> Question:
    """Give the part of these lanes, with as many more as are tied to them."""
    per_lane = np.zeros(len(shape), dtype=np.int64)
    step = Step(None, Expression(per_lane, tuple((1, feature) for feature in features)), 0)
    parts = Parts(Question(shape, (step,), (), ints(*counts), UNLIMITED))
    return parts.part(parts.closed(ints(*free), ints(*counts)), ints(*counts), UNLIMITED)


def test_a_value_that_another_lane_has_opened_counts():
    """One machine at the known value; with the other open and empty no second may come there."""
    skew = Skew(1, ints(0), ints(0), ints(1, 0), np.array([True, False]), (ints(0), ints(1)))
    shape = Shape(ints(2, 1), (skew,))
    assert not cut(shape, [0, 1], [0]).shape.holds(ints(1))
    assert cut(shape, [0, 0], [0]).shape.holds(ints(1))


def test_a_value_may_open_where_it_is_not_too_far_below():
    known = np.array([True, False])
    for skew, may in ((1, False), (2, True)):
        limit = Skew(skew, ints(0), ints(0), ints(1, 0), known, (ints(0), ints(1)))
        part = cut(Shape(ints(2, 1), (limit,)), [1, 0], [1])
        assert part.shape.holds(ints(1)) is may


def test_what_shares_bins_is_free_together_where_it_is_used():
    """Three and one more fill two bins of two; a part that knew of the one alone would see one."""
    shape = Shape(ints(3, 2, 2), ())
    part = cut(shape, [3, 0, 0], [1], Bins(ints(0, 1, 2), 2))
    assert part.start.tolist() == [3, 0]
    (feature,) = (feature for _, feature in part.steps[0].expression.features)
    assert (feature.value(ints(3, 1)), feature.value(ints(3, 2))) == (2, 3)


@pytest.mark.parametrize(
    ("offset", "held", "slope"), [(9, 0, 2), (-9, 0, -2), (0, 2, -2), (4, 2, 2), (3, 2, None)]
)
def test_a_distance_that_does_not_turn_within_reach_is_a_line(offset, held, slope):
    """It is |offset + 2 (x - held)|, with x up to 2."""
    away = distance(offset, 2, ints(0), ints(1))
    part = cut(Shape(ints(2, 2), ()), [0, held], [0], away)
    expression = part.steps[0].expression
    if slope is None:
        assert len(expression.features) == 1
    else:
        assert (expression.per_lane.tolist(), expression.features) == ([slope], ())
    values = [expression.value(ints(x)) - abs(offset + 2 * (x - held)) for x in range(3)]
    assert len(set(values)) == 1
