"""Machines are named rack by rack, and an answer is worth what it shows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from models.distinct import sums
from rebalancer.limits import Limits
from rebalancer.problems.packing.answer import packing_of, takings
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.search import pack
from rebalancer.problems.packing.worth import nowhere, untouched, whole

NO_LIMIT = Limits(None)
NO_TIME = Limits(0.0)


def test_machines_are_taken_where_gangs_may_stand(random_question):
    split = 0
    for seed in range(300):
        question = random_question(seed, spines=True, most=8)
        racks, gangs = question.racks, question.gangs
        home = best_fit(question, nowhere(question))
        took = takings(question, home)
        assert (took.count > 0).all()
        assert len(set(zip(took.gang.tolist(), took.rack.tolist(), strict=True))) == len(took.gang)
        of_gang = sums(took.gang, took.count, len(gangs))
        assert (of_gang == np.where(home >= 0, gangs.size, 0)).all()
        of_rack = sums(took.rack, took.count, len(racks))
        assert (of_rack <= racks.free).all()
        spared = (of_rack == 0) & (racks.free > 0)
        assert (spared == untouched(question, home)).all()
        assert racks.free[spared].sum() == whole(question, home)
        for gang, rack in zip(took.gang, took.rack, strict=True):
            stands = rack if gangs.level[gang] == RACK else question.pool[rack]
            assert home[gang] == stands
            assert question.eligible[gangs.types[gang], racks.type[rack]]
        split += len(took.gang) - (home >= 0).sum()
    assert split > 30


def test_pools_draw_first_on_racks_that_others_use(question_of):
    racks = [(0, 0, 0, 4), (0, 1, 0, 5), (0, 2, 0, 6)]
    gangs = [(3, 0, 0, RACK), (2, 0, 0, SPINE), (4, 0, 0, SPINE)]
    question = question_of(racks, gangs)
    took = takings(question, np.array([1, 0, 0]))
    rows = list(zip(took.gang.tolist(), took.rack.tolist(), took.count.tolist(), strict=True))
    assert rows == [(0, 1, 3), (1, 1, 2), (2, 0, 4)]


def test_values_and_bounds_follow_from_homes_and_prices(random_question):
    for seed in range(28, 40):
        question = random_question(seed, spines=True)
        claim = pickle.loads(pickle.dumps(pack(pickle.loads(pickle.dumps(question)), NO_LIMIT)))
        found = packing_of(question, claim.home, claim.prices)
        assert (found.values, found.bounds) == (claim.values, claim.bounds)


def test_without_the_prices_of_a_search_nothing_is_proven(question_of):
    """One gang of two fits each rack of three; only prices show that no more do."""
    question = question_of([(0, 0, 0, 3), (0, 1, 0, 3)], [(2, 0, 0, RACK)] * 3)
    claim, free = pack(question, NO_LIMIT), pack(question, NO_TIME)
    assert claim.proven
    found = packing_of(question, claim.home, free.prices)
    assert found.values == free.values == claim.values
    assert found.bounds == free.bounds
    assert not found.proven


def test_gaps_are_shares_of_all_that_was_to_be_had(question_of):
    question = question_of([(0, 0, 0, 5), (0, 1, 0, 3)], [(3, 0, 0, RACK), (5, 0, 0, RACK)])
    packing = replace(pack(question, NO_LIMIT), values=(80, 5, 3), bounds=(100, 10, 8))
    assert packing.gaps == pytest.approx((0.2, 5 / 90, 5 / 93))
