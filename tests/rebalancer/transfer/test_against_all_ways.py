"""The answer against every way there is, on instances so small that all can be tried."""

import pytest
from tiny_transfers import best_key, broken, random_question

from rebalancer.problems.transfer.answer import Transfer, transfer

SEEDS_A_BATCH = 60


def key_of(answer: Transfer) -> tuple[float, ...]:
    told = answer.tally
    serving = (told.lost - told.gained)[::-1].tolist()
    return (*serving, told.drained, told.created, told.unpriced, told.cost_usd)


@pytest.mark.parametrize("batch", range(10))
def test_every_objective_is_the_best_there_is_and_proven(batch):
    moved = 0
    for seed in range(batch * SEEDS_A_BATCH, (batch + 1) * SEEDS_A_BATCH):
        question = random_question(seed)
        answer = transfer(question)
        assert broken(question, answer.moves) == [], seed
        assert key_of(answer) == pytest.approx(best_key(question), abs=1e-3), seed
        assert answer.is_proven, seed
        assert answer.gap is not None
        assert answer.gap <= 1e-4, seed
        moved += len(answer.moves)
    assert moved
