"""A part asks about its lanes exactly what the whole asks where all others stay."""

import random

import numpy as np
from questions import UNLIMITED, Tiny

from rebalancer.search.part import Parts, least


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
