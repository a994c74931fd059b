"""The packings that are measured are what they are said to be."""

from dataclasses import replace

import numpy as np
import pytest

from planner.bench.rebalancing import packing as bench
from planner.bench.rebalancing.packing import SHAPES, Shape, packing, packing_samples
from rebalancer.limits import Limits
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.search import pack
from rebalancer.problems.packing.worth import key, nowhere


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_kept(name):
    shape, question = SHAPES[name], packing(SHAPES[name])
    racks, gangs = question.racks, question.gangs
    assert (len(racks), len(gangs)) == (shape.racks, shape.gangs + shape.spine_gangs)
    assert (racks.free.min(), racks.free.max()) == shape.free
    assert len(np.unique(racks.type)) == shape.types
    assert len(np.unique(racks.spine)) == shape.spines
    assert set(gangs.size[gangs.level == RACK]) == set(shape.sizes)
    assert set(gangs.size[gangs.level == SPINE]) <= set(shape.spine_sizes)
    assert question.eligible.sum(axis=1).min() >= 1
    assert question.eligible.sum(axis=1).max() <= shape.widest
    # Somebody is left without: else there is nothing to decide.
    assert gangs.size.sum() > racks.free.sum() or shape.sizes == bench.POWERS


def test_same_seed_same_packing():
    shape = replace(SHAPES["four-types"], racks=50, gangs=50)
    first, again, other = packing(shape), packing(shape), packing(shape, seed=1)
    assert (first.racks.free == again.racks.free).all()
    assert (first.gangs.size == again.gangs.size).all()
    assert (first.gangs.size != other.gangs.size).any()


def test_greedy_loses_a_twentieth_of_the_lowest_priority_of_uniform_sizes():
    question = packing(SHAPES["uniform"])
    found = pack(question, Limits(None))
    assert found.proven
    greedy = key(question, best_fit(question, nowhere(question)))
    assert greedy[:2] == found.values[:2]
    assert 0.03 < 1 - greedy[2] / found.values[2] < 0.09


def test_each_shape_is_a_row_with_its_figures(monkeypatch):
    said = []
    small = Shape(20, 30, (0, 9), (2, 3, 4))
    monkeypatch.setattr(bench, "SHAPES", {"small": small, "other": replace(small, racks=21)})

    class Run:
        repeat = 20
        say = staticmethod(said.append)

    samples = list(packing_samples(Run))
    assert [row.question for row in samples] == ["packing, small", "packing, other"]
    assert said == ["packing, small: 30 gangs, 20 racks", "packing, other: 30 gangs, 21 racks"]
    for row in samples:
        assert len(row.timing.seconds) == 2
        assert row.needs == 30
        assert row.found["greedy 100"] <= row.found["found 100"] <= row.found["bound 100"]
        assert {name.split()[-1] for name in row.found} == {"100", "10", "1", "whole"}
        assert row.found["gap % whole"] >= 0
