"""The answer against every way there is, on instances so small that all can be tried."""

import pickle

import pytest
from tiny_transfers import best_key, broken, key_of, random_question

from rebalancer.problems.transfer.answer import transfer

SEEDS_A_BATCH = 60


@pytest.mark.parametrize("batch", range(10))
def test_every_objective_is_the_best_there_is_and_proven(batch):
    moved = 0
    for seed in range(batch * SEEDS_A_BATCH, (batch + 1) * SEEDS_A_BATCH):
        question = random_question(seed)
        answer = transfer(question)
        best = best_key(question)
        assert broken(question, answer.moves) == [], seed
        # Costs are halves of USD, and rounding hides less than a tenth.
        assert key_of(answer) == pytest.approx(best, abs=0.1), seed
        assert answer.is_proven, seed
        assert answer.bound_usd is not None
        assert best[-1] - 0.1 < answer.bound_usd <= best[-1] + 1e-9, seed
        moved += len(answer.moves)
    assert moved > SEEDS_A_BATCH / 2


def test_the_values_on_the_flow_are_those_of_the_moves():
    for seed in range(60):
        answer = transfer(random_question(seed))
        counted = {(each.measure, each.level): each.value.value for each in answer.reached[:-1]}
        key = key_of(answer)
        levels = len(answer.tally.gained)
        told = {("serving", level): key[levels - 1 - level] for level in range(levels)}
        rest = zip(("drained", "created", "unpriced"), key[levels:-1], strict=True)
        told |= {(measure, None): value for measure, value in rest}
        assert counted.items() <= told.items(), seed
        assert not any(value for which, value in told.items() if which not in counted), seed


def test_the_same_question_gives_the_same_answer_wherever_it_is_asked():
    for seed in range(40):
        question = random_question(seed)
        first, second = transfer(question), transfer(pickle.loads(pickle.dumps(question)))
        assert pickle.dumps(first) == pickle.dumps(second), seed
