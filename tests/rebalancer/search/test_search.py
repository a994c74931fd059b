"""However a question is taken apart, what comes out is what trying everything finds."""

from dataclasses import replace

import pytest
from questions import Tiny

from rebalancer.limits import Limits
from rebalancer.question import Found, Question, believed
from rebalancer.search.door import USUAL, Reach, search

WHOLE = Reach()
APART = Reach(batch=1)
FLOWS = Reach(flow=0)
AROUND = Reach(model=0, roam=2)
ALL = Reach(batch=1, flow=0, model=0, roam=1)
WAYS = {"whole": WHOLE, "apart": APART, "flows": FLOWS, "around": AROUND, "all": ALL}


@pytest.mark.parametrize("reach", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("last_links", [False, True])
def test_nothing_is_better(reach: Reach, last_links: bool):
    for seed in range(20):
        tiny = Tiny(seed, last_links=last_links, moves=seed // 3 if seed % 3 == 0 else None)
        found = search(tiny.question, None, reach)
        assert tiny.shape.holds(found.counts)
        assert tiny.question.key(found.counts) == tiny.best(), seed
        assert found.proven, seed
        kept, complaint = believed(tiny.question, found)
        assert (kept.proven, complaint) == (True, "")


@pytest.mark.parametrize("reach", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("work", [0.0, 3e-4, 6e-3])
def test_little_work_gives_nothing_worse_and_bounds_that_hold(reach: Reach, work: float):
    unproven = 0
    for seed in range(16):
        tiny = Tiny(seed, last_links=seed % 2 == 0, moves=2 if seed % 3 == 0 else None)
        told: list[Found] = []
        question = replace(tiny.question, limits=Limits(None, work, 1, seed))
        found = search(question, told.append, reach)
        for claim in (*told, found):
            key = question.key(claim.counts)
            assert tiny.shape.holds(claim.counts)
            assert key <= question.key(question.start)
            for number, bound in enumerate(claim.bounds):
                assert bound <= tiny.least(number, key), seed
        unproven += not found.proven
    assert unproven or work > 1e-3


@pytest.mark.parametrize("reach", WAYS.values(), ids=WAYS)
def test_bounds_of_singles_hold_beside_the_steps_before_the_last(reach: Reach):
    known = 0
    for seed in range(20):
        tiny = Tiny(seed)
        found = search(tiny.question, None, reach)
        best = tiny.best()[:-1]
        keys = [(tiny.question.key(counts), counts) for counts in tiny.legal]
        values = [tiny.question.singles[0].value(c) for key, c in keys if key[:-1] == best]
        (bound,) = found.single_bounds
        if bound is not None:
            known += 1
            assert bound == min(values), seed
    assert known > 14


def test_an_empty_question_is_answered_at_once():
    tiny = Tiny(0)
    shape = replace(tiny.shape, most=tiny.shape.most[:0], limits=())
    empty = Question(shape, (), (), tiny.question.start[:0], Limits())
    assert search(empty).proven


def test_the_usual_reach_takes_a_tiny_question_whole():
    tiny = Tiny(3)
    assert search(tiny.question, None, USUAL).counts.tolist() == (
        search(tiny.question, None, WHOLE).counts.tolist()
    )
