"""First distribution, decommission, slots, and counts back to domains: against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebalancer.problems.ownership.balance import balanced
from rebalancer.problems.ownership.dealing import holdings_of, owners_after
from rebalancer.problems.ownership.first import first
from rebalancer.problems.ownership.leaving import leaving
from rebalancer.problems.ownership.slots import dealt_evenly, withdrawn
from rebalancer.problems.ownership.top import from_the_top
from rebalancer.problems.ownership.tree import flat

SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.lists(st.integers(0, 50), min_size=1, max_size=12)


@given(COUNTS, st.integers(1, 9))
def test_the_first_distribution_is_like_in_every_group_and_in_total(counts, shards):
    found = first(np.array(counts), shards)
    assert found.sum(axis=1).tolist() == counts
    assert np.ptp(found, axis=1).max() <= 1
    assert np.ptp(found.sum(axis=0)) <= 1


def test_the_first_distribution_in_words():
    """What is over begins where the group before stopped, round and round."""
    assert first(np.array([4, 5, 1]), 3).tolist() == [[2, 1, 1], [1, 2, 2], [1, 0, 0]]


def one_by_one(count: int, most: list[int], have: list[int], given: list[int]) -> list[int]:
    taken = [0] * len(have)
    for _ in range(count):
        who = max(
            (s for s in range(len(have)) if taken[s] < most[s]),
            key=lambda s: (have[s] - taken[s], -given[s] - taken[s], -s),
        )
        taken[who] += 1
    return taken


@given(SEEDS)
def test_the_fullest_gives_again_and_again(seed):
    chance = np.random.default_rng(seed)
    shards = int(chance.integers(1, 7))
    have = chance.integers(0, 9, shards)
    most = np.minimum(have, chance.integers(0, 9, shards))
    given_ = chance.integers(0, 4, shards)
    count = int(chance.integers(0, most.sum() + 1))
    taken = from_the_top(count, most, have, given_)
    plain = one_by_one(count, most.tolist(), have.tolist(), given_.tolist())
    assert taken.sum() == count
    assert np.all((taken >= 0) & (taken <= most))
    assert sorted((have - taken).tolist()) == sorted((have - np.array(plain)).tolist())


def test_of_those_that_hold_the_same_whoever_gave_least_goes_first():
    two = np.array([2, 2, 2])
    assert from_the_top(1, two, two, np.array([1, 0, 0])).tolist() == [0, 1, 0]
    assert from_the_top(2, two, two, np.array([1, 0, 0])).tolist() == [0, 1, 1]
    assert from_the_top(4, two, two, np.array([1, 0, 0])).tolist() == [1, 2, 1]


@given(COUNTS, st.data())
def test_a_site_gives_in_proportion(there, data):
    count = data.draw(st.integers(0, sum(there)))
    site = np.array(there)[:, None]
    found = leaving(count, site, site)[:, 0]
    assert found.sum() == count
    assert np.all(found <= there)
    exact = count * np.array(there) / max(sum(there), 1)
    assert np.all(np.abs(found - exact) < 1)


def test_the_largest_remainder_gives_what_is_over():
    # 4 x (1, 5, 3) / 9 is 0.44, 2.22 and 1.33.
    assert leaving(4, np.array([[1], [5], [3]]), np.array([[1], [5], [3]])).tolist() == [
        [1],
        [2],
        [1],
    ]
    assert leaving(1, np.array([[2], [2]]), np.array([[2], [2]])).tolist() == [[1], [0]]


@given(SEEDS)
def test_spreads_stay_within_one_where_a_site_gives(seed):
    """Where the site stands evenly with all, none of the rest has to move."""
    chance = np.random.default_rng(seed)
    have = first(chance.integers(0, 80, 5), 4)
    count = int(chance.integers(0, have.sum() + 1))
    lost = leaving(count, have, have)
    assert lost.sum() == count
    assert np.ptp(have - lost, axis=1).max() <= 1
    # As groups are, each on its own; only the totals may ask for a move.
    assert np.ptp((have - lost).sum(axis=0)) <= 5


def test_a_site_gives_no_more_than_stands_there():
    at_site, have = np.array([[1, 0], [0, 2]]), np.array([[5, 9], [3, 3]])
    assert leaving(3, at_site, have).tolist() == at_site.tolist()
    assert leaving(0, at_site, have).tolist() == [[0, 0], [0, 0]]
    for wrong in (4, -1):
        with pytest.raises(ValueError, match="are to go, of 3"):
            leaving(wrong, at_site, have)


def test_those_that_hold_as_many_give_in_turn_over_the_groups():
    two = np.full((2, 2), 2)
    assert leaving(2, two, two).tolist() == [[1, 0], [0, 1]]


@given(SEEDS)
def test_new_slots_are_dealt_out_evenly_per_class(seed):
    chance = np.random.default_rng(seed)
    have = chance.integers(0, 9, (3, 4))
    new = chance.integers(0, 30, 3)
    out = dealt_evenly(new, have)
    assert np.array_equal(out.sum(axis=1), new)
    assert np.ptp(out, axis=1).max() <= 1
    for k in range(3):
        more, fewer = have[k][out[k] == out[k].max()], have[k][out[k] == out[k].min()]
        assert np.ptp(out[k]) == 0 or more.max() <= fewer.min()


def test_new_slots_go_in_turn_where_all_hold_the_same():
    nothing = np.zeros((3, 2), dtype=np.int64)
    assert dealt_evenly(np.array([1, 1, 1]), nothing).tolist() == [[1, 0], [0, 1], [1, 0]]


@given(SEEDS)
def test_withdrawn_slots_leave_whoever_has_most_unused(seed):
    chance = np.random.default_rng(seed)
    unused = chance.integers(0, 9, (3, 4))
    gone = chance.integers(0, 40, 3)
    out = withdrawn(gone, unused)
    assert np.array_equal(out.sum(axis=1), np.minimum(gone, unused.sum(axis=1)))
    assert np.all((out >= 0) & (out <= unused))
    left = unused - out
    for k in range(3):
        assert np.all(left[k][out[k] > 0] >= left[k].max() - 1)


@given(SEEDS)
def test_domains_follow_the_counts_and_stay_where_they_can(seed):
    chance = np.random.default_rng(seed)
    groups, shards, domains = 3, 4, int(chance.integers(1, 40))
    group = chance.integers(0, groups, domains)
    owner = chance.integers(0, shards, domains)
    movable = chance.random(domains) < 0.7
    open_ = np.ones(shards, dtype=np.bool_)
    holdings = holdings_of(group, owner, movable, groups, open_)
    for g in range(groups):
        for s in range(shards):
            here = (group == g) & (owner == s)
            assert holdings.have[g, s] == here.sum()
            assert holdings.movable[g, s] == (here & movable).sum()
    found = balanced(holdings, flat(groups))
    after = owners_after(group, owner, movable, found.after)
    assert np.array_equal(holdings_of(group, after, movable, groups, open_).movable, found.after)
    assert np.array_equal(after[~movable], owner[~movable])
    assert (after != owner).sum() == found.moved


def test_the_first_domains_go_to_the_first_shards():
    group, owner = np.array([0, 1, 0, 0, 0, 1]), np.array([1, 1, 1, 1, 1, 1])
    free = np.array([True, True, False, True, True, True])
    after = owners_after(group, owner, free, np.array([[1, 1, 1], [0, 1, 1]]))
    assert after.tolist() == [0, 2, 1, 2, 1, 1]
