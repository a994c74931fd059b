"""Objectives in order: nothing rests on the weights or on the word of the solver."""

import numpy as np
import pytest
from tiny_transfers import best_key, broken, key_of, random_question

from rebalancer.flows import lexicographic
from rebalancer.flows.arcs import Arcs
from rebalancer.flows.cheapest import cheapest
from rebalancer.flows.lexicographic import (
    LARGEST_PRODUCT,
    RATIO,
    Value,
    descend,
    weighed,
)
from rebalancer.problems.transfer.answer import drawn_up, transfer


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


SEEDS = range(40)
BUSY = [seed for seed in range(200) if len(transfer(random_question(seed)).moves)]


def none(arcs, least, most, cost):
    return None


def leaking(arcs, least, most, cost):
    flow = cheapest(arcs, least, most, cost)
    flow[np.argmax(flow < most)] += 1
    return flow


def overfull(arcs, least, most, cost):
    return cheapest(arcs, least, 2 * most + 1, cost)


def short_sighted(arcs, least, most, cost):
    """Stop half way."""
    return cheapest(arcs, least, least + (most - least) // 2, cost)


@pytest.mark.parametrize("solve", [none, leaking, overfull, short_sighted])
def test_a_solver_that_lies_proves_nothing_and_breaks_nothing(solve):
    unproven = 0
    for seed in BUSY[:40]:
        question = random_question(seed)
        answer = transfer(question, solve)
        assert broken(question, answer.moves) == []
        best, key = best_key(question), key_of(answer)
        assert not answer.is_proven or key == pytest.approx(best, abs=0.1)
        # Up to the first that is not proven the values are the best, and its bound holds.
        rank = {("serving", level): -1 - level for level in range(len(question.priorities))}
        for each in answer.reached:
            if each.level is None:
                break
            place = len(question.priorities) + rank["serving", each.level]
            assert each.value.bound is not None
            assert each.value.bound <= best[place]
            if not each.value.is_proven:
                break
        unproven += not answer.is_proven
        assert answer.is_proven or answer.bound_usd is None or answer.reached[-1].value.bound
    assert unproven > 10


def test_a_solver_that_sees_one_objective_only_is_asked_again():
    """Its first answers are best in what weighs most, and in nothing else."""
    for seed in BUSY[:40]:
        question = random_question(seed)
        asked = []

        def heaviest(arcs, least, most, cost, asked=asked):
            asked.append(cost)
            heavy = np.where(np.abs(cost) == np.abs(cost).max(), np.sign(cost), 0)
            return cheapest(arcs, least, most, heavy)

        answer = transfer(question, heaviest)
        assert broken(question, answer.moves) == []
        assert key_of(answer)[0] == best_key(question)[0]


@pytest.mark.parametrize("product", [1, 2**10, 2**20])
def test_with_room_for_few_weights_the_answer_is_as_good(product, monkeypatch):
    monkeypatch.setattr(lexicographic, "LARGEST_PRODUCT", product)
    for seed in BUSY[:30]:
        question = random_question(seed)
        answer = transfer(question)
        assert answer.is_proven
        assert key_of(answer) == pytest.approx(best_key(question), abs=0.1)


def test_weights_that_mislead_are_found_out(monkeypatch):
    monkeypatch.setattr(lexicographic, "RATIO", 0)
    for seed in BUSY[:30]:
        question = random_question(seed)
        answer = transfer(question)
        assert answer.is_proven
        assert key_of(answer) == pytest.approx(best_key(question), abs=0.1)


def test_an_answer_that_is_worse_than_the_last_is_left_out():
    arcs = Arcs(2, ints(0, 1), ints(1, 0), ints(2, 2))
    answers = [ints(1, 1), ints(0, 0), ints(0, 0)]
    flow, values = descend(arcs, [ints(-1, 0)], lambda *_: answers.pop(0))
    assert answers == []
    assert flow.tolist() == [1, 1]
    assert values == [Value(-1, -2)]
    assert not values[0].is_proven


def test_each_cost_is_heavier_than_all_after_it_as_long_as_there_is_room():
    arcs = Arcs(2, ints(0, 1, 0), ints(1, 0, 1), ints(1, 1, 1))
    first, second, third = ints(0, -2, 0), ints(0, 0, 1), ints(5, 0, 3)
    light = RATIO * 5
    heavy = RATIO * (5 + light)
    together = heavy * first + light * second + third
    assert weighed(arcs, [first, second, third]).tolist() == together.tolist()
    dear = ints(0, 0, LARGEST_PRODUCT)
    assert weighed(arcs, [first, second, dear]).tolist() == (RATIO * first + second).tolist()
    assert weighed(arcs, [dear]).tolist() == dear.tolist()


def test_fifty_levels_are_done_in_their_order():
    """More than weights have room for: one machine short at each, and 20 to be had."""
    levels, machines = 50, 20
    served = np.arange(levels)
    tail = np.concatenate([ints(0), np.ones(levels, dtype=np.int64), 2 + served])
    head = np.concatenate([ints(1), 2 + served, np.zeros(levels, dtype=np.int64)])
    most = np.concatenate([ints(machines), np.ones(2 * levels, dtype=np.int64)])
    arcs = Arcs(2 + levels, tail, head, most)
    costs = [-(np.arange(len(arcs)) == 1 + levels + level).astype(np.int64) for level in served]
    asked = []

    def counting(*problem):
        asked.append(problem)
        return cheapest(*problem)

    flow, values = descend(arcs, costs, counting)
    assert len(asked) < 5
    assert flow[1 + levels :].tolist() == [1] * machines + [0] * (levels - machines)
    assert all(value.is_proven for value in values)


def test_without_anything_to_gain_no_solver_is_asked():
    question = random_question(BUSY[0])
    problem = drawn_up(question)
    costs = [np.abs(each.cost) for each in problem.objectives.all]

    def never(*_):
        raise AssertionError

    flow, values = descend(problem.network.arcs, costs, never)
    assert not flow.any()
    assert all(value.is_proven for value in values)
