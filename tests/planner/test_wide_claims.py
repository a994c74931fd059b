"""Answers to wide questions on the line: read as they were written, or refused."""

import numpy as np
import pytest
from worlds import RACK, World

from planner.fence.wide_claims import longest_wide, pack_wide, unpack_wide
from planner.fence.wire import Rubbish
from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.wide.answer import WideAnswer, answer, unanswered
from rebalancer.wide.question import WideQuestion
from rebalancer.wide.stage import stage_of


@pytest.fixture(scope="module")
def question() -> WideQuestion:
    """Give a question with plain needs and a gang."""
    world = World().shard("s0", "a").shard("s1", "b")
    for number in range(3):
        world.machines(f"r{number}-", 3, shard="s1", rack=f"r{number}")
    world.need("a/x", 2, 5).need("a/y", 3, 1).need("a/gang", 3, 5, same=RACK)
    stage = stage_of(snapshot_of(world.standing()), DEFAULT_GOALS, Limits(None), 0)
    assert stage is not None
    return stage.question


def numbers(said: WideAnswer) -> list[object]:
    seeds: list[object] = [
        [seed.gangs_first, seed.homes.tolist()]
        + [column.tolist() for column in (seed.moves.offer, seed.moves.wanted, seed.moves.count)]
        for seed in said.seeds
    ]
    return [seeds, said.most.tolist()]


def test_an_answer_crosses_as_it_is(question: WideQuestion):
    for said in (unanswered(question), answer(question)):
        body = pack_wide(said)
        assert numbers(unpack_wide(body, question)) == numbers(said)
        assert len(body) <= longest_wide(question)
    assert len(said.seeds) == 2


def test_another_length_is_rubbish(question: WideQuestion):
    body = pack_wide(answer(question))
    for other in (body[:-8], body[:-1], body + bytes(8), b""):
        with pytest.raises(Rubbish):
            unpack_wide(other, question)


def test_rows_that_are_not_there_and_homes_that_do_not_hold_are_rubbish(question: WideQuestion):
    body = np.frombuffer(pack_wide(answer(question)), dtype=np.int64)
    refused = 0
    for place in range(len(body)):
        for value in (-7, 2**40):
            changed = body.copy()
            changed[place] = value
            try:
                unpack_wide(changed.tobytes(), question)
            except Rubbish:
                refused += 1
    # All but bounds, which may be any number, and large counts, which find no machines.
    free = len(question.everybody.priorities) * 2 + sum(
        len(seed.moves) for seed in answer(question).seeds
    )
    assert refused == 2 * len(body) - free
