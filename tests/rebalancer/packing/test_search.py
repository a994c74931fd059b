"""What is found is what trying everything finds, and no solver is believed."""

import tracemalloc
from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from rebalancer.limits import Limits
from rebalancer.problems.packing import search
from rebalancer.problems.packing.blocks import blocks
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.engine import OrTools, Relaxed
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.model import most_columns
from rebalancer.problems.packing.search import pack
from rebalancer.problems.packing.worth import NOWHERE, holds, key, nowhere

NO_LIMIT = Limits(None)

SEEDS = range(28, 72)
"""Greedy is not the best at three of them, with spines at seven, of which four are early."""


def one_rack_each(free, sizes):
    racks = [(0, number, 0, count) for number, count in enumerate(free)]
    return racks, [(size, 0, 0, RACK) for size in sizes]


class Liar:
    """An engine that says whatever it is told to."""

    def __init__(self, values=None, prices=None):
        self.answers = values, prices
        self.asked = 0

    def values(self, programme, seconds, nodes, seed):
        self.asked += 1
        return self.answers[0] and self.answers[0](programme)

    def relaxed(self, programme, seconds):
        return self.answers[1] and self.answers[1](programme)


LIES = {
    "nothing": None,
    "no columns": lambda programme: np.zeros(0),
    "all zero": lambda programme: np.zeros(len(programme.lower)),
    "all at their most": lambda programme: programme.upper.copy(),
    "one each": lambda programme: np.ones(len(programme.lower)),
    "halves": lambda programme: programme.upper / 2,
    "less than nothing": lambda programme: -programme.upper - 3,
    "no numbers": lambda programme: np.full(len(programme.lower), np.nan),
    "without end": lambda programme: np.full(len(programme.lower), np.inf),
}


def truly(programme):
    """Columns that say nothing, prices as they are."""
    return replace(OrTools().relaxed(programme, None), columns=np.zeros(len(programme.lower)))


FALSE_PRICES = {
    "nothing": None,
    "too few": lambda programme: np.zeros(1),
    "no numbers": lambda programme: np.full(len(programme.row_lower), np.nan),
    "without end": lambda programme: np.full(len(programme.row_lower), np.inf),
    "less than nothing": lambda programme: np.full(len(programme.row_lower), -1e300),
    "huge": lambda programme: np.full(len(programme.row_lower), 1e300),
    "all free": lambda programme: np.zeros(len(programme.row_lower)),
}


@pytest.mark.parametrize("spines", [False, True])
def test_what_is_found_is_the_best_of_all(random_question, best_of_all, spines):
    greedy_is_best = proven = 0
    for seed in SEEDS:
        question = random_question(seed, spines=spines)
        found = pack(question, NO_LIMIT)
        best = best_of_all(question)
        assert holds(question, found.home)
        assert found.values == key(question, found.home) == best, seed
        assert all(map(int.__le__, found.values, found.bounds)), seed
        greedy_is_best += key(question, best_fit(question, nowhere(question))) == best
        proven += found.proven
    # Else there would be nothing to seek, or nothing of what is proven.
    assert greedy_is_best <= len(SEEDS) - 3
    assert proven > len(SEEDS) / 2


def test_parts_of_one_block_come_to_the_same(monkeypatch, random_question, best_of_all):
    monkeypatch.setattr(search, "PART_SLOTS", 1)
    for seed in SEEDS[:20]:
        question = random_question(seed, spines=True)
        assert pack(question, NO_LIMIT).values == best_of_all(question)


def test_the_second_of_two_racks(question_of):
    question = question_of(*one_rack_each([1, 2], [2]))
    assert pack(question, NO_LIMIT).home.tolist() == [1]


def test_eight_of_many_leaf_groups(question_of):
    leaves = [1, 1, 2, 2, 2, 3, 3, 3, 5, 5, 6, 6, 6, 8, 11]
    question = question_of(*one_rack_each(leaves, [8]))
    assert pack(question, NO_LIMIT).home.tolist() == [leaves.index(8)]


def test_a_hundred_gangs_of_ten_in_a_hundred_racks_of_ten(question_of):
    question = question_of(*one_rack_each([10] * 100, [10] * 100))
    found = pack(question, NO_LIMIT)
    assert sorted(found.home.tolist()) == list(range(100))
    assert found.values == found.bounds == (1000, 0)
    assert found.proven


def test_spine_and_racks_share_what_there_is(question_of):
    """The spine's gang takes what the racks' gangs leave in both racks: 2 + 1 machines."""
    racks = [(0, 0, 0, 6), (0, 1, 0, 6)]
    gangs = [(4, 0, 0, RACK), (5, 0, 0, RACK), (3, 0, 0, SPINE)]
    found = pack(question_of(racks, gangs), NO_LIMIT)
    assert found.values == (12, 0)
    assert found.proven


def test_without_racks_or_gangs(question_of):
    assert pack(question_of([], []), NO_LIMIT).values == (0,)
    assert pack(question_of([(0, 0, 0, 4)], []), NO_LIMIT).values == (4,)
    assert pack(question_of([], [(4, 0, 0, RACK), (2, 0, 0, SPINE)]), NO_LIMIT).values == (0, 0)


@pytest.mark.parametrize("lie", LIES)
def test_false_columns_do_no_harm(random_question, best_of_all, lie):
    asked = 0
    for seed in SEEDS[:14]:
        question = random_question(seed, spines=True)
        engine = Liar(values=LIES[lie], prices=truly)
        found = pack(question, NO_LIMIT, engine)
        asked += engine.asked
        assert holds(question, found.home)
        assert found.values == key(question, found.home)
        assert found.values >= key(question, best_fit(question, nowhere(question)))
        best = best_of_all(question)
        assert found.values <= best
        assert found.proven <= (found.values == best)
    assert asked > 3


@pytest.mark.parametrize("lie", [lie for lie in LIES if lie != "nothing"])
def test_false_columns_of_the_relaxation_do_no_harm(random_question, best_of_all, lie):
    for seed in SEEDS[:14]:
        question = random_question(seed, spines=seed % 2 == 0)

        def falsely(some):
            return replace(OrTools().relaxed(some, None), columns=LIES[lie](some))

        found, best = pack(question, NO_LIMIT, Liar(prices=falsely)), best_of_all(question)
        assert holds(question, found.home)
        assert key(question, best_fit(question, nowhere(question))) <= found.values <= best


@pytest.mark.parametrize("lie", FALSE_PRICES)
def test_false_prices_prove_nothing_false(random_question, best_of_all, lie):
    priced = FALSE_PRICES[lie]
    lies = priced and (lambda some: Relaxed(some.upper / 2, priced(some)))
    for seed in SEEDS[:14]:
        question = random_question(seed, spines=True)
        found, best = pack(question, NO_LIMIT, Liar(prices=lies)), best_of_all(question)
        assert all(map(int.__le__, found.values, found.bounds))
        # The bounds of the first goal bound all answers.
        assert best[0] <= found.bounds[0]
        assert found.proven <= (found.values == best)


def test_the_relaxation_rounded_down_is_a_good_start(question_of):
    """No whole columns at all, and yet nearly all of what greedy loses is found."""
    chance = np.random.default_rng(0)
    racks = [(n % 2, n, 0, int(free)) for n, free in enumerate(chance.integers(30, 41, 150))]
    gangs = [(int(size), 0, int(chance.integers(3)), RACK) for size in chance.integers(3, 41, 250)]
    question = question_of(racks, gangs, [(True, False), (False, True), (True, True)])
    greedy = key(question, best_fit(question, nowhere(question)))
    found = pack(question, NO_LIMIT, Liar(prices=lambda some: OrTools().relaxed(some, None)))
    assert found.bounds[0] - found.values[0] < (found.bounds[0] - greedy[0]) / 2


def test_same_question_same_answer(random_question):
    for seed in SEEDS[4:9]:
        question = random_question(seed, spines=True)
        first, second = pack(question, NO_LIMIT), pack(question, NO_LIMIT)
        assert (first.home == second.home).all()
        assert first.bounds == second.bounds


def test_no_time_is_the_greedy_packing(monkeypatch, random_question):
    """No goal is looked at: all that is bounded is the answer."""
    monkeypatch.setattr(search, "bound", None)
    for seed in range(20):
        question = random_question(seed, spines=True)
        engine = Liar()
        found = pack(question, Limits(0.0), engine)
        assert (found.home == best_fit(question, nowhere(question))).all()
        assert engine.asked == 0


def test_time_that_passes_ends_the_search(random_question):
    """Each look at the clock takes a second."""
    question = random_question(3, spines=False)
    for seconds in range(1, 30, 4):
        ticks = iter(range(10**6))
        pack(question, Limits(float(seconds), clock=lambda ticks=ticks: float(next(ticks))))
        assert next(ticks) <= seconds + 30


def test_every_better_packing_is_told(random_question):
    told = 0
    for seed in SEEDS[:24]:
        question = random_question(seed, spines=True)
        news = []
        found = pack(question, NO_LIMIT, on_better=news.append)
        worth = [key(question, home) for home in news]
        assert worth == sorted(set(worth))
        assert worth[-1] == found.values
        told += len(news) > 1
    assert told > 1


def test_gangs_larger_than_all_room_change_nothing(question_of, random_question):
    """Not who is served, nor what is proven; nor is there a table as long as they are large."""
    huge = [(10**7, 0, RACK), (2**40, -5, SPINE), (2**62, 700, RACK), (2**62, 700, SPINE)]
    tracemalloc.start()
    for seed in SEEDS:
        question = random_question(seed, spines=True)
        priorities, gangs = set(question.priorities.tolist()), question.gangs
        more = [(size, p, seed % 3, level) for size, p, level in huge if p in priorities]
        rows = [*zip(gangs.size, gangs.priority, gangs.types, gangs.level, strict=True), *more]
        racks = question.racks
        places = zip(racks.type, racks.domain, racks.spine, racks.free, strict=True)
        beside = question_of([*places], rows, question.eligible)
        assert beside.slot_sizes.tolist() == question.slot_sizes.tolist()
        all_racks = blocks(question, by_pool=True)
        assert most_columns(beside, all_racks) == most_columns(question, all_racks)
        for limits in (NO_LIMIT, Limits(0.0)) if seed < SEEDS[8] else (Limits(0.0),):
            found, expected = pack(beside, limits), pack(question, limits)
            assert found.home.tolist() == [*expected.home.tolist(), *[NOWHERE] * len(more)]
            assert (found.values, found.bounds) == (expected.values, expected.bounds)
    assert tracemalloc.get_traced_memory()[1] < 2**25
    tracemalloc.stop()


def test_a_limit_is_kept_with_racks_of_many_machines(question_of):
    """Zones of 20,000 machines, forty types: the knapsacks of all goals took 25 s of CPU."""
    chance = np.random.default_rng(0)
    racks = [(n % 40, n, 0, int(free)) for n, free in enumerate(chance.integers(1e4, 2e4, 200))]
    sizes = chance.choice([900, 7_001], 800).tolist()
    gangs = [(size, n % 3, n % 30, RACK) for n, size in enumerate(sizes)]
    question = question_of(racks, gangs, chance.random((30, 40)) < 0.4)
    began = process_time()
    found = pack(question, Limits(1.0, clock=process_time))
    assert process_time() - began < 2.5
    assert any(prices.slot.any() for prices in found.prices)
