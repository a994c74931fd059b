"""A bound holds at any prices, and good prices make it tight."""

from dataclasses import replace

import numpy as np
import pytest

from rebalancer.problems.packing import bound as of_bound
from rebalancer.problems.packing.blocks import blocks
from rebalancer.problems.packing.bound import (
    DEAREST,
    SCALE,
    Duals,
    as_one_type,
    bound,
    no_prices,
    prices_from,
)
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.engine import OrTools
from rebalancer.problems.packing.model import Aim, model_of

FREE = 10**6


def solved(question, aim):
    model = model_of(question, blocks(question, by_pool=False), aim)
    return prices_from(question, model, aim, OrTools().relaxed(model.programme, None).prices)


def test_no_answer_beats_a_bound_at_any_prices(random_question, worths):
    tight = tried = 0
    for seed in range(150):
        question = random_question(seed, spines=True, most=4)
        chance = np.random.default_rng(seed)
        answers = worths(question)
        for goal in range(len(question.priorities) + 1):
            held = answers[chance.integers(len(answers))][:goal]
            best = max(w[goal] for w in answers if all(map(int.__ge__, w, held)))
            aim = Aim(held, FREE)
            free = no_prices(question, aim)
            for scale in (0, SCALE // 2, 2 * SCALE, 20 * SCALE):
                prices = Duals(*(
                    chance.integers(0, scale + 1, column.shape)
                    for column in (free.slot, free.machine, free.held)
                ))  # fmt: skip
                tried += 1
                most = bound(question, aim, prices)
                assert most >= best
                tight += most == best
    assert tight > tried / 4


def test_prices_of_the_relaxation_are_good(random_question, worths):
    gap = free = 0
    for seed in range(60):
        question = random_question(seed, spines=seed % 2 == 0, most=4)
        best = max(worths(question))
        for goal in range(len(best)):
            aim = Aim(best[:goal], FREE)
            most = bound(question, aim, solved(question, aim))
            assert most >= best[goal]
            gap += most - best[goal]
            free += bound(question, aim, no_prices(question, aim)) - best[goal]
    assert gap < free / 5


def test_racks_of_five_hold_one_gang_of_three_each(question_of):
    racks = [(0, number, 0, 5) for number in range(2)]
    question = question_of(racks, [(3, 0, 0, RACK)] * 4)
    aim = Aim((), FREE)
    assert bound(question, aim, no_prices(question, aim)) == 12
    assert bound(question, aim, solved(question, aim)) == 6


def test_spines_share_what_racks_need(question_of):
    """Of 10 machines the racks' gangs, held, need 8."""
    racks = [(0, number, 0, 5) for number in range(2)]
    gangs = [(4, 1, 0, RACK)] * 2 + [(1, 0, 0, SPINE)] * 5
    question = question_of(racks, gangs)
    aim = Aim((8,), FREE)
    assert bound(question, aim, solved(question, aim)) == 2
    aim = Aim((8, 2), FREE)
    assert bound(question, aim, solved(question, aim)) == 0


def test_a_bound_is_a_multiple_of_what_all_sizes_share(question_of):
    question = question_of([(0, 0, 0, 11)], [(4, 0, 0, RACK), (8, 0, 0, RACK)])
    aim = Aim((), 11)
    assert bound(question, aim, no_prices(question, aim)) == 8


def test_types_taken_as_one_bound_the_question(random_question, worths):
    for seed in range(60):
        question = random_question(seed, spines=True, most=4)
        best = max(worths(question))
        merged = as_one_type(question)
        for goal in range(len(best)):
            aim = Aim(best[:goal], FREE)
            prices = solved(merged, aim)
            most = bound(question, aim, prices.for_types(question.eligible.shape[1]))
            assert best[goal] <= most <= bound(merged, aim, prices)


def test_prices_below_nothing_or_out_of_proportion_are_refused(question_of):
    question = question_of([(0, 0, 0, 5)], [(3, 0, 0, RACK)])
    aim = Aim((), FREE)
    free = no_prices(question, aim)
    for name in ("slot", "machine"):
        for more in (-1, 2**62):
            with pytest.raises(ValueError, match="negative, or out of all proportion"):
                bound(question, aim, replace(free, **{name: getattr(free, name) + more}))
    aim = Aim((3,), FREE)
    with pytest.raises(ValueError, match="negative"):
        bound(question, aim, replace(no_prices(question, aim), held=np.array([-1])))


def test_prices_that_are_no_prices_are_cut(question_of):
    question = question_of([(0, 0, 0, 5)], [(3, 1, 0, RACK), (2, 0, 0, SPINE)])
    aim = Aim((3,), FREE)
    model = model_of(question, blocks(question, by_pool=False), aim)
    for dual, price in ((np.nan, 0), (np.inf, 0), (1e300, DEAREST * SCALE), (-1.0, 0)):
        prices = prices_from(question, model, aim, np.full(len(model.programme.row_lower), dual))
        assert prices.machine.tolist() == [price]
        assert prices.slot.tolist() == [[3 * price]]
        assert bound(question, aim, prices) >= 2


def plain_knapsack(sizes, values, free):
    best = [0] * (free + 1)
    for room in range(1, free + 1):
        sums = [best[room - n] + v for n, v in zip(sizes, values, strict=True) if n <= room]
        best[room] = max(best[room - 1], *sums)
    return best[free]


def test_racks_earn_what_a_plain_knapsack_says_and_no_less_without_one(monkeypatch, question_of):
    """Slots that cost more than their gangs gain: all that is left is what racks earn."""
    chance, looser = np.random.default_rng(0), 0
    for _ in range(60):
        free = chance.integers(1, 40, 4).tolist()
        sizes = sorted({1, *chance.integers(1, max(free) + 1, 4).tolist()})
        racks = [(n % 3, n, 0, room) for n, room in enumerate(free)]
        question = question_of(racks, [(n, 0, 0, RACK) for n in sizes] * 200, [(True,) * 3])
        assert question.slot_sizes.tolist() == [n for n in sizes if n <= max(free)]
        aim = Aim((), FREE)
        slots = np.array(sizes) + chance.integers(0, 9, (2, len(sizes)))
        slots[:, 0] = 1
        prices = replace(no_prices(question, aim), slot=slots[[0, 1, 0]] * SCALE)
        rows = slots[[0, 1, 0, 0]].tolist()
        expected = sum(map(plain_knapsack, [sizes] * 4, rows, free))
        assert bound(question, aim, prices) == expected
        with monkeypatch.context() as patch:
            patch.setattr(of_bound, "MOST_CELLS", 0)
            most = bound(question, aim, prices)
            rates = [max(-(-v // n) for v, n in zip(row, sizes, strict=True)) for row in slots]
            assert expected <= most <= sum(room * max(rates) for room in free)
            looser += most > expected
    assert looser > 30


def test_racks_without_end_are_bounded_in_no_time(question_of):
    question = question_of([(0, 0, 0, 2**31)], [(3, 0, 0, RACK), (2**30, 0, 0, RACK)])
    aim = Aim((), 2**31)
    free = no_prices(question, aim)
    assert bound(question, aim, free) == 2**30 + 3
    assert bound(question, aim, replace(free, slot=np.array([[0, SCALE]]))) == 2**30 + 3
