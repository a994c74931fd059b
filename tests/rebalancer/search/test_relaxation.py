"""Bounds of flows are bounds, and tell all where nothing but the network binds."""

from dataclasses import replace

import numpy as np
from questions import UNLIMITED, Tiny, ints

from rebalancer.draft import Cap, Shape
from rebalancer.objective import Step
from rebalancer.question import Question
from rebalancer.search.best import Best
from rebalancer.search.budget import Budget
from rebalancer.search.lines import Lines
from rebalancer.search.nested_caps import nested_caps_of
from rebalancer.search.relaxation import below, pour, relax
from rebalancer.terms import Expression


def test_where_only_groups_and_needs_bind_a_flow_is_the_best_plan_and_proves_it():
    for seed in range(100):
        tiny = Tiny(seed, islands=1 + seed % 2, plain=True)
        best = Best(tiny.question)
        relax(best, Budget(UNLIMITED))
        assert best.values == tiny.best(), seed
        assert best.is_proven, seed
        values = [tiny.question.key(counts) for counts in tiny.legal]
        single = tiny.question.singles[0]
        assert best.singles[0] == min(
            single.value(counts)
            for key, counts in zip(values, tiny.legal, strict=True)
            if key[:-1] == best.values[:-1]
        )


def test_every_bound_of_the_network_holds_for_the_question():
    reached = 0
    for seed in range(150):
        tiny = Tiny(seed, islands=1 + seed % 2, last_links=seed % 3 == 0)
        best = Best(tiny.question)
        pour(best, Budget(UNLIMITED))
        relax(best, Budget(UNLIMITED))
        assert tiny.shape.holds(best.counts)
        assert tuple(best.values) == tiny.question.key(best.counts)
        assert best.values <= tiny.question.key(tiny.question.start)
        for number, bound in enumerate(best.bounds):
            least = tiny.least(number, best.values)
            assert bound <= least, seed
            reached += bound == least
    assert reached > 150


def test_a_value_that_is_not_proven_is_held_by_a_price():
    """Ten machines, a gang of twelve at 2 that nothing can serve, eleven plain ones at 1."""
    shape = Shape(
        ints(10, 10, 2),
        (Cap(ints(0, 1), 10), Cap(ints(0, 2), 12), Cap(ints(1), 11)),
    )
    levels = [Expression(ints(-1, 0, 0)), Expression(ints(0, -1, 0))]
    steps = tuple(Step(None, level, -100) for level in levels)
    best = Best(Question(shape, steps, (), ints(0, 0, 0), UNLIMITED))
    relax(best, Budget(UNLIMITED))
    assert (best.values, best.bounds) == ((-10, 0), [-10, 0])


def test_a_linear_function_below_is_nowhere_above():
    touches = 0
    for seed in range(200):
        tiny = Tiny(seed)
        most = tiny.shape.most
        for step in tiny.question.steps:
            at = tiny.question.start
            lines = Lines.of(step.expression)
            linear = below(step.expression, lines, lines.highest(at), most)
            values = [
                (linear.constant + int(linear.per_lane @ c), step.expression.value(c))
                for c in tiny.legal
            ]
            assert all(low <= value for low, value in values)
            touches += any(low == value for low, value in values)
    assert touches > 200


def test_nested_caps_are_one_network():
    """Groups {0, 1}, {2, 3}; needs {0, 2}, {1, 3} with a floor in one; so many moves in all."""
    caps = [([0, 1], 3), ([2, 3], 2), ([0, 2], 2), ([1, 3], 3), ([0], 1), ([0, 1, 2, 3], 4)]
    shape = Shape(ints(3, 3, 3, 3), tuple(Cap(ints(*lanes), most) for lanes, most in caps))
    network = nested_caps_of(shape)
    # The cap of one lane is the most of the lane.
    assert len(network.caps.starts) - 1 == 5
    assert network.arcs.most[:4].tolist() == [1, 3, 2, 2]
    question = Question(
        shape, (Step(None, Expression(ints(-1, -1, -1, -1)), -99),), (), ints(0, 0, 0, 0), UNLIMITED
    )
    best = Best(question)
    relax(best, Budget(UNLIMITED))
    assert (best.values, best.is_proven) == ((-4,), True)


def test_the_flow_of_legal_counts_keeps_the_network():
    for seed in range(200):
        tiny = Tiny(seed, islands=1)
        network = nested_caps_of(tiny.shape)
        for counts in tiny.legal:
            flow = network.flow(counts)
            left = np.zeros(network.arcs.nodes, dtype=np.int64)
            np.add.at(left, network.arcs.head, flow)
            np.subtract.at(left, network.arcs.tail, flow)
            assert not left.any()
            assert (flow <= network.arcs.most).all()


def test_caps_that_fit_no_network_are_left_out():
    """Three sets that cross one another: one of any two lanes, so one in all, not the half of 3."""
    pairs = ([0, 1], [1, 2], [0, 2])
    shape = Shape(ints(1, 1, 1), tuple(Cap(ints(*pair), 1) for pair in pairs))
    question = Question(
        shape, (Step(None, Expression(ints(-1, -1, -1)), -99),), (), ints(0, 0, 0), UNLIMITED
    )
    best = Best(question)
    relax(best, Budget(UNLIMITED))
    assert (best.values, best.bounds) == ((0,), [-3])


def test_costs_beyond_what_a_solver_multiplies_still_bound():
    tiny = Tiny(11, islands=1, plain=True)
    last = tiny.question.steps[-1]
    huge = Expression(last.expression.per_lane * 2**52)
    question = replace(
        tiny.question, steps=(*tiny.question.steps[:-1], Step(None, huge, -(2**60))), singles=()
    )
    best = Best(question)
    relax(best, Budget(UNLIMITED))
    assert best.values == min(map(question.key, tiny.legal))
    assert best.is_proven
