"""Ownership: the judge, the program, CP-SAT and the project's own against trying everything."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.peers import cp_sat, greedy, ours
from benchmarks.peers.judge import Broken, worth
from benchmarks.peers.problems import Ownership, from_json, to_json


@st.composite
def ownerships(draw):
    shards = draw(st.integers(2, 3))
    row = st.lists(st.integers(0, 2), min_size=shards, max_size=shards)
    have = draw(st.lists(row, min_size=1, max_size=2))
    is_open = draw(st.lists(st.booleans(), min_size=shards, max_size=shards).filter(any))
    return Ownership(have, [shard for shard in range(shards) if is_open[shard]])


def distributions(problem):
    """Give every way to deal every group out over the open shards."""

    def deals(count, shards):
        if len(shards) == 1:
            yield {shards[0]: count}
            return
        for some in range(count + 1):
            for rest in deals(count - some, shards[1:]):
                yield {shards[0]: some} | rest

    return product(*(deals(count, problem.open) for count in problem.counts))


def value(problem, held):
    def off(counts):
        low, high = sum(counts) // len(counts), -(-sum(counts) // len(counts))
        return sum(max(low - count, count - high, 0) for count in counts)

    groups = sum(off([row[s] for s in problem.open]) for row in held)
    totals = off([sum(row[s] for row in held) for s in problem.open])
    moved = sum(
        max(0, row.get(s, 0) - had)
        for row, before in zip(held, problem.have, strict=True)
        for s, had in enumerate(before)
    )
    return groups, totals, moved


def triples(held):
    return [(g, s, count) for g, row in enumerate(held) for s, count in row.items()]


@settings(max_examples=40, deadline=None)
@given(ownerships())
def test_the_judge_values_every_distribution_and_the_proven_are_the_best(problem):
    values = []
    for held in distributions(problem):
        values.append(value(problem, held))
        assert tuple(worth(problem, triples(held)).values()) == values[-1]
    for peer in (cp_sat, ours):
        found = peer.answer(problem, 10.0)
        assert tuple(worth(problem, found.triples).values()) == min(values)
        assert tuple(found.bounds) == min(values)
    fast = worth(problem, greedy.answer(problem, 10.0).triples)
    assert tuple(fast.values()) >= min(values)
    assert fast["off in groups"] == 0
    assert from_json(to_json(problem)) == problem


@pytest.mark.parametrize(
    "answer", [[(0, 0, 1)], [(0, 0, 3)], [(0, 0, 1), (0, 1, 1)], [(0, 2, 2)], [(1, 0, 2)]]
)
def test_the_judge_refuses_domains_lost_doubled_or_in_a_closed_shard(answer):
    problem = Ownership([[1, 1]], [0])
    assert worth(problem, [(0, 0, 2)])
    with pytest.raises(Broken):
        worth(problem, answer)
