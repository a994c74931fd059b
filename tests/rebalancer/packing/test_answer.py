"""Machines are named rack by rack, and a claim is worth what it shows."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from models.distinct import sums
from rebalancer.limits import Limits
from rebalancer.problems.packing.answer import believed, domains, takings
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.search import pack
from rebalancer.problems.packing.worth import NOWHERE, nowhere, untouched, whole

NO_LIMIT = Limits(None)
NO_TIME = Limits(0.0)


def test_machines_are_taken_where_gangs_may_stand(random_question):
    split = 0
    for seed in range(300):
        question = random_question(seed, spines=True, most=8)
        racks, gangs = question.racks, question.gangs
        home = best_fit(question, nowhere(question))
        took, place = takings(question, home), domains(question, home)
        assert (took.count > 0).all()
        assert len(set(zip(took.gang.tolist(), took.rack.tolist(), strict=True))) == len(took.gang)
        of_gang = sums(took.gang, took.count, len(gangs))
        assert (of_gang == np.where(home >= 0, gangs.size, 0)).all()
        assert ((place >= 0) == (home >= 0)).all()
        of_rack = sums(took.rack, took.count, len(racks))
        assert (of_rack <= racks.free).all()
        spared = (of_rack == 0) & (racks.free > 0)
        assert (spared == untouched(question, home)).all()
        assert racks.free[spared].sum() == whole(question, home)
        for gang, rack in zip(took.gang, took.rack, strict=True):
            where = racks.domain if gangs.level[gang] == RACK else racks.spine
            assert place[gang] == where[rack]
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


def test_a_sound_claim_is_believed_as_it_is(random_question):
    for seed in range(28, 40):
        question = random_question(seed, spines=True)
        start = best_fit(question, nowhere(question))
        claim = pickle.loads(pickle.dumps(pack(pickle.loads(pickle.dumps(question)), NO_LIMIT)))
        found, complaint = believed(question, claim, start)
        assert complaint == ""
        assert (found.values, found.bounds) == (claim.values, claim.bounds)
        assert (found.home == claim.home).all()


@pytest.fixture(name="case")
def _case(question_of):
    question = question_of([(0, 0, 0, 5), (0, 1, 0, 3)], [(3, 0, 0, RACK), (5, 0, 0, RACK)])
    return question, pack(question, NO_LIMIT), best_fit(question, nowhere(question))


def test_homes_that_do_not_hold_are_not_taken(case):
    question, claim, start = case
    for home in ([1, 1], [0, 0], [0, 7], [0]):
        false = replace(claim, home=np.array(home, dtype=np.int64))
        found, complaint = believed(question, false, start)
        assert complaint == "the packing breaks a limit"
        assert (found.home == start).all()
        assert found.values == (8, 0)


def test_homes_worse_than_the_start_are_not_taken(case):
    question, claim, start = case
    false = replace(claim, home=np.array([1, NOWHERE]))
    found, complaint = believed(question, false, start)
    assert complaint == "the packing is worse than the fast method's"
    assert found.values == (8, 0)


def test_an_optimum_that_is_none_is_noticed(case):
    """Homes that hold, with values and bounds as if they were the best."""
    question, claim, _ = case
    false = replace(claim, home=np.array([NOWHERE, 0]), values=(8, 0), bounds=(8, 0))
    found, complaint = believed(question, false, nowhere(question))
    assert complaint == "the packing claims what it does not show"
    assert found.values == (5, 3)
    assert not found.proven


def test_bounds_follow_from_prices_alone(question_of):
    """One gang of two fits each rack of three; only prices show that no more do."""
    question = question_of([(0, 0, 0, 3), (0, 1, 0, 3)], [(2, 0, 0, RACK)] * 3)
    claim = pack(question, NO_LIMIT)
    assert claim.proven
    free = pack(question, NO_TIME)
    assert free.values == claim.values
    assert not free.proven
    found, complaint = believed(question, replace(claim, prices=free.prices), claim.home)
    assert complaint == "the packing claims what it does not show"
    assert found.bounds == free.bounds


def test_prices_that_make_no_sense_prove_nothing(case):
    question, claim, start = case
    first = claim.prices[0]
    below = replace(first, slot=first.slot - 1)
    others = replace(first, slot=first.slot[:, 1:])
    more = replace(first, machine=np.append(first.machine, 0))
    for prices in ((), *((false, *claim.prices[1:]) for false in (below, others, more))):
        found, complaint = believed(question, replace(claim, prices=prices), start)
        assert complaint == "the prices of a bound make no sense"
        assert found.values == claim.values
        assert all(map(int.__le__, found.values, found.bounds))


def test_gaps_are_shares_of_all_that_was_to_be_had(case):
    _, claim, _ = case
    packing = replace(claim, values=(80, 5, 3), bounds=(100, 10, 8))
    assert packing.gaps == pytest.approx((0.2, 5 / 90, 5 / 93))
