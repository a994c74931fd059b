"""Weights on lines: a linear function below a peak, wherever they are moved."""

import numpy as np
from questions import UNLIMITED, Tiny, ints

from rebalancer.draft import Cap, Shape
from rebalancer.objective import Step
from rebalancer.question import Question
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.lines import Lines
from rebalancer.search.relaxation import below, relax
from rebalancer.terms import Expression, Line, Peak, distance


def test_moved_weights_are_none_below_0_and_sum_up_to_the_factors():
    moved = 0
    for seed in range(120):
        tiny = Tiny(seed, last_links=True)
        expression = tiny.question.steps[-1].expression
        lines = Lines.of(expression)
        weights = lines.highest(tiny.question.start)
        for counts in tiny.legal[:6]:
            again = lines.moved(weights, counts, 7)
            moved += (again != weights).any()
            weights = again
            assert (weights >= 0).all()
            assert np.add.reduceat(weights, lines.starts).tolist() == lines.factor.tolist()
            linear = below(expression, lines, weights, tiny.shape.most)
            for legal in tiny.legal:
                value = linear.constant + int(linear.per_lane @ legal)
                assert value <= expression.value(legal)
    assert moved > 50


def test_the_values_are_those_of_the_lines():
    peak = Peak((Line(1, ints(0, 1), ints(2, -1)), Line(-3, ints(2), ints(5))))
    lines = Lines.of(Expression(ints(0, 0, 0), ((4, peak), (0, peak))))
    assert lines.values(ints(3, 1, 1)).tolist() == [6, 2]
    assert lines.highest(ints(3, 1, 1)).tolist() == [4, 0]
    assert lines.highest(ints(0, 0, 1)).tolist() == [0, 4]


def test_weight_goes_to_the_nearest_that_sums_up():
    """As much is taken off each until those that stay above 0 sum up to the factor."""
    peak = Peak(tuple(Line(offset, ints(), ints()) for offset in (8, 3, 1)))
    lines = Lines.of(Expression(ints(0), ((400, peak),)))
    weights = ints(200, 100, 100)
    # From their mean the lines are 4, -1 and -3 away, 26 in squares.
    assert lines.moved(weights, ints(0), 26 * 10).tolist() == [240, 90, 70]
    assert lines.moved(weights, ints(0), 26 * 30).tolist() == [320, 70, 10]
    # 400, 50 and -50: 25 less.
    assert lines.moved(weights, ints(0), 26 * 50).tolist() == [375, 25, 0]
    assert lines.moved(weights, ints(0), 26 * 999).tolist() == [400, 0, 0]
    assert lines.moved(weights, ints(0), -5).tolist() == [200, 100, 100]


def test_weights_bound_what_one_line_does_not():
    """Ten machines over two lanes, three more over one than over the other: with one line alone all
    ten go over the same."""
    shape = Shape(ints(10, 10), (Cap(ints(0, 1), 10),))
    served = Step(None, Expression(ints(-1, -1)), -10)
    even = Step(None, Expression(ints(0, 0), ((100, distance(3, 1, ints(0), ints(1))),)), -(2**40))
    question = Question(shape, (served, even), (), ints(10, 0), UNLIMITED)
    bounds = []
    for weighings in (0, 40):
        best = Best(question)
        relax(best, Budget(UNLIMITED), passes=1, weighings=weighings)
        assert best.values[0] == -10
        bounds.append(best.bounds[1])
    assert bounds[0] < 0
    # An odd distance is never 0, which no flow knows.
    assert bounds[1] == 0


def test_nothing_without_peaks():
    tiny = Tiny(1, plain=True)
    lines = Lines.of(tiny.question.steps[0].expression)
    assert len(lines) == 0
    assert lines.moved(lines.highest(tiny.question.start), tiny.question.start, 5).tolist() == []
