"""Claims as bytes: what is packed comes out again, and nothing else is read."""

import numpy as np
import pytest

from planner.fence.claims import longest_answer, pack_claim, unpack_claim
from planner.fence.wire import Rubbish
from rebalancer.draft import Shape
from rebalancer.limits import Limits
from rebalancer.objective import Step
from rebalancer.question import Found, Question
from rebalancer.terms import Expression

LANES = 3


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def question(singles: int = 2) -> Question:
    one = Expression(ints(1, 1, 1))
    shape = Shape(ints(5, 5, 5), ())
    return Question(shape, (Step(None, one, 0),), (one,) * singles, ints(0, 0, 0), Limits())


CLAIM = Found(ints(1, 2, 3), (6,), True, True, (4, None), {1: ints(3, 2, 1)})


def numbers(found: Found) -> tuple:
    others = {single: counts.tolist() for single, counts in found.alternatives.items()}
    return (
        found.counts.tolist(), found.bounds, found.proven, found.answered, found.single_bounds,
        others,
    )  # fmt: skip


@pytest.mark.parametrize("shown", [(), (0,), (1,), (0, 1)])
def test_a_claim_comes_back_as_it_was(shown: tuple[int, ...]):
    others = {single: ints(single, 7, -(2**62)) for single in shown}
    claim = Found(ints(1, 2, 3), (-6,), True, False, (None, 2**62), others)
    body = pack_claim(claim)
    assert numbers(unpack_claim(body, question())) == numbers(claim)
    assert len(body) <= longest_answer(question())


def test_the_longest_answer_has_every_alternative():
    """Whatever is packed is taken; the floor for complaints is out of the way."""
    lanes = 5000
    one = Expression(np.ones(lanes, dtype=np.int64))
    shape = Shape(np.ones(lanes, dtype=np.int64), ())
    zeros = np.zeros(lanes, dtype=np.int64)
    asked = Question(shape, (Step(None, one, 0),), (one, one), zeros, Limits())
    claim = Found(zeros, (0,), True, True, (0, 0), {0: zeros, 1: zeros})
    assert len(pack_claim(claim)) == longest_answer(asked)


@pytest.mark.parametrize("change", [8, -8, 1, -1, -(2**9)])
def test_another_length_is_rubbish(change: int):
    body = pack_claim(CLAIM)
    longer = body + bytes(max(change, 0))
    with pytest.raises(Rubbish):
        unpack_claim(longer[: len(body) + change], question())


@pytest.mark.parametrize("shown", [0, 1, 3, -1])
def test_alternatives_that_do_not_fill_the_rest_are_rubbish(shown: int):
    body = np.frombuffer(pack_claim(CLAIM), dtype=np.int64).copy()
    body[3] = shown
    if shown == 1:
        # One is as long as another: it is read, and judged by what it says.
        assert list(unpack_claim(body.tobytes(), question()).alternatives) == [0]
        return
    with pytest.raises(Rubbish):
        unpack_claim(body.tobytes(), question())
