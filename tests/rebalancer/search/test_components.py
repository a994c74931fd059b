"""What is found apart has nothing to do with one another, and nothing less is found apart."""

import random
import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from questions import Tiny, ints

from rebalancer.draft import Cap, Shape
from rebalancer.search.components import batches, components, joined, says_something, touched
from rebalancer.terms import Expression, Flag


def by_search(size: int, links: list[set[int]]) -> list[list[int]]:
    """Grow each component lane by lane."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for lane in range(size):
        if lane in seen:
            continue
        group, edge = {lane}, [lane]
        while edge:
            at = edge.pop()
            new = {other for link in links if at in link for other in link} - group
            group |= new
            edge += new
        seen |= group
        found.append(sorted(group))
    return found


@given(st.integers(1, 30), st.lists(st.sets(st.integers(0, 29), max_size=4), max_size=25))
def test_lanes_that_links_lead_to_are_together(size: int, links: list[set[int]]):
    links = [{lane for lane in link if lane < size} for link in links]
    shape = Shape(ints(*[5] * size), tuple(Cap(ints(*sorted(link)), 0) for link in links))
    found = components(shape, [])
    assert [part.tolist() for part in found] == by_search(size, links)


def test_a_long_chain_is_one_in_few_rounds():
    """0.1 s; a minute where labels go from lane to lane only."""
    size = 100_000
    chain = list(range(size))
    random.Random(0).shuffle(chain)
    ends = np.stack([chain[:-1], chain[1:]], axis=1).reshape(-1)
    begun = time.process_time()
    assert not joined(np.arange(0, len(ends) + 1, 2), ends, size).any()
    assert time.process_time() - begun < 5.0


def test_a_cap_that_says_nothing_and_a_feature_without_weight_link_nothing():
    shape = Shape(ints(1, 2, 1), (Cap(ints(0, 1), 3), Cap(ints(1, 2), 2)))
    assert [says_something(limit, shape.most) for limit in shape.limits] == [False, True]
    flag = Flag(ints(0, 1))
    for weight, expected in ((0, [[0], [1, 2]]), (1, [[0, 1, 2]])):
        found = components(shape, [Expression(ints(0, 0, 0), ((weight, flag),))])
        assert [part.tolist() for part in found] == expected


def test_every_limit_and_feature_is_within_one_component():
    for seed in range(200):
        tiny = Tiny(seed)
        expressions = [step.expression for step in tiny.question.steps]
        found = [set(part.tolist()) for part in components(tiny.shape, expressions)]
        pieces = [limit for limit in tiny.shape.limits if says_something(limit, tiny.shape.most)]
        features = [f for e in expressions for weight, f in e.features if weight]
        for piece in [*pieces, *features]:
            lanes = set(touched(piece).tolist())
            assert sum(bool(lanes & part) for part in found) <= 1


@given(st.lists(st.integers(1, 40), min_size=1, max_size=40), st.integers(1, 60))
def test_batches_hold_everything_once_and_the_smallest_first(sizes: list[int], most: int):
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    parts = [ints(*range(end - size, end)) for end, size in zip(ends, sizes, strict=True)]
    found = batches(parts, most)
    assert sorted(lane for batch in found for lane in batch.tolist()) == list(range(ends[-1]))
    assert all(len(batch) <= max(most, max(sizes)) for batch in found)
    for batch in found:
        whole = [part for part in parts if set(part.tolist()) <= set(batch.tolist())]
        assert sum(map(len, whole)) == len(batch)
    assert len(found[0]) <= len(found[-1]) or len(found[0]) <= most
