"""Growth, shrinking, splitting, merging against every distribution that there is."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from holdings import all_movable
from hypothesis import given, settings
from hypothesis import strategies as st

from rebalancer.problems.ownership.balance import balanced, is_level
from rebalancer.problems.ownership.extras import Extras, extras_of
from rebalancer.problems.ownership.flow import extras
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.proof import is_an_answer, is_least
from rebalancer.problems.ownership.tree import Tree, chained, flat
from rebalancer.problems.ownership.water import shares_of


@cache
def splits(count: int, shards: int) -> tuple[tuple[int, ...], ...]:
    """Give every way to split a number over the shards."""
    if shards == 1:
        return ((count,),)
    return tuple(
        (here, *rest) for here in range(count + 1) for rest in splits(count - here, shards - 1)
    )


def best(holdings: Holdings, tree: Tree) -> tuple[list[int], int, int, int]:
    """Try everything: squares of groups, then of sets, then of the whole, then domains moved."""
    open_ = np.flatnonzero(holdings.open)
    per_group, squares = [], []
    for movable, fixed in zip(holdings.movable, holdings.fixed, strict=True):
        ways = [np.array(way) for way in splits(int(movable.sum()), len(open_))]
        value = [int(((fixed[open_] + way) ** 2).sum()) for way in ways]
        squares.append(min(value))
        per_group.append([way for way, v in zip(ways, value, strict=True) if v == min(value)])
    found = []
    for chosen in product(*per_group):
        after = np.zeros_like(holdings.movable)
        after[:, open_] = np.array(chosen).reshape(len(per_group), len(open_))
        found.append(measured(holdings, tree, after)[1:])
    return squares, *min(found)


def draw(chance: np.random.Generator, fixed: int) -> Holdings:
    groups, shards = int(chance.integers(1, 4)), int(chance.integers(1, 5))
    most = 4 if groups < 3 else 3
    movable = chance.integers(0, most, (groups, shards)) * (chance.random((groups, shards)) < 0.7)
    stays = chance.integers(0, fixed + 1, (groups, shards))
    open_ = chance.random(shards) < 0.8
    open_[chance.integers(shards)] = True
    return Holdings(movable, np.where(open_, stays, 0), open_)


def draw_tree(chance: np.random.Generator, groups: int) -> Tree:
    return chained(chance.integers(0, 2, groups), chance.integers(1, 4, groups))


def measured(holdings: Holdings, tree: Tree, after: np.ndarray) -> tuple[list[int], int, int, int]:
    have = holdings.fixed + after
    *sets, whole = (have[list(groups)].sum(axis=0) for groups in members(tree))
    moved = int(np.maximum(after - holdings.movable, 0).sum())
    squares = sum(int((each**2).sum()) for each in sets)
    return (have**2).sum(axis=1).tolist(), squares, int((whole**2).sum()), moved


def members(tree: Tree) -> list[set[int]]:
    """Give the groups in each set, by climbing from each group."""
    found: list[set[int]] = [set() for _ in range(len(tree))]
    for group, place in enumerate(tree.of_group.tolist()):
        while place < len(tree):
            found[place].add(group)
            place = int(tree.above[place])
    return found


@pytest.mark.parametrize("fixed", [0, 1, 3])
def test_nothing_is_better_than_what_is_found(fixed):
    chance = np.random.default_rng(fixed)
    moved = 0
    for _ in range(500):
        holdings = draw(chance, fixed)
        tree = draw_tree(chance, len(holdings.movable))
        found = balanced(holdings, tree)
        assert np.all(found.after >= 0)
        assert np.array_equal(found.after.sum(axis=1), holdings.movable.sum(axis=1))
        assert not found.after[:, ~holdings.open].any()
        least = best(holdings, tree)
        assert measured(holdings, tree, found.after) == least
        assert (found.moved, found.proven) == (least[3], True)
        moved += found.moved
    assert moved > 500


def test_where_what_is_fixed_bars_the_lowest_shard_the_totals_are_still_the_best():
    """The level that water would have cannot be reached, so the squares decide."""
    chance = np.random.default_rng(7)
    barred = 0
    for _ in range(300):
        shape = int(chance.integers(1, 4)), int(chance.integers(2, 5))
        holdings = Holdings(
            chance.integers(0, 2, shape),
            chance.integers(0, 4, shape) * (chance.random(shape) < 0.5),
            np.ones(shape[1], dtype=np.bool_),
        )
        tree = flat(shape[0])
        found = balanced(holdings, tree)
        assert measured(holdings, tree, found.after) == best(holdings, tree)
        assert found.proven
        poured = shares_of(
            Holdings(
                holdings.movable.sum(axis=0)[None, :], holdings.fixed.sum(axis=0)[None, :],
                holdings.open,
            )
        )  # fmt: skip
        lowest = holdings.fixed.sum(axis=0) + poured.base[0]
        least = int(
            (lowest**2).sum() + (2 * lowest[poured.may[0]].min(initial=0) + 1) * poured.rest[0]
        )
        barred += int(((holdings.fixed + found.after).sum(axis=0) ** 2).sum()) > least
    assert barred >= 30


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 30), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_where_nothing_is_fixed_groups_and_totals_are_within_one(groups, shards, seed):
    chance = np.random.default_rng(seed)
    movable = chance.integers(0, 40, (groups, shards)) * (chance.random((groups, shards)) < 0.5)
    tree = chained(chance.integers(0, 4, groups), chance.integers(1, 9, groups))
    found = balanced(all_movable(movable), tree)
    assert np.ptp(found.after, axis=1).max() <= 1
    assert np.ptp(found.after.sum(axis=0)) <= 1
    for together in members(tree):
        assert np.ptp(found.after[list(together)].sum(axis=0)) <= 1
    assert found.proven
    assert is_level(all_movable(movable), tree, found.after)
    again = balanced(all_movable(found.after), tree)
    assert again.moved == 0
    assert np.array_equal(again.after, found.after)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 12), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_a_new_shard_takes_its_share_and_the_others_exchange_nothing(groups, shards, seed):
    chance = np.random.default_rng(seed)
    tree = draw_tree(chance, groups)
    before = balanced(all_movable(chance.integers(0, 90, (groups, shards))), tree).after
    found = balanced(all_movable(np.column_stack([before, np.zeros(groups, dtype=np.int64)])), tree)
    new = found.after[:, -1]
    assert found.moved == new.sum()
    assert np.all(found.after[:, :-1] <= before)
    total = before.sum()
    assert new.sum() in (total // (shards + 1), -(-total // (shards + 1)))


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 12), st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_a_shard_that_goes_gives_what_it_has_and_the_others_keep_theirs(groups, shards, seed):
    chance = np.random.default_rng(seed)
    tree = draw_tree(chance, groups)
    before = balanced(all_movable(chance.integers(0, 90, (groups, shards))), tree).after
    open_ = np.ones(shards, dtype=np.bool_)
    open_[chance.integers(shards)] = False
    found = balanced(all_movable(before, open_), tree)
    assert not found.after[:, ~open_].any()
    assert found.moved == before[:, ~open_].sum()
    assert np.all(found.after[:, open_] >= before[:, open_])


def test_in_words():
    """Of eight racks in one shard, the new one gets four; nine are five and four."""
    assert balanced(all_movable(np.array([[8, 0]])), flat(1)).after.tolist() == [[4, 4]]
    assert balanced(all_movable(np.array([[9, 0]])), flat(1)).after.tolist() == [[5, 4]]
    # Two groups of one rack each: the totals say that each shard keeps one.
    assert balanced(all_movable(np.array([[1, 0], [1, 0]])), flat(2)).moved == 1
    # Three racks that run in the first shard count: all that is free goes to the second.
    fixed = Holdings(np.array([[2, 0]]), np.array([[3, 0]]), np.array([True, True]))
    assert balanced(fixed, flat(1)).after.tolist() == [[0, 2]]
    # Five that run cannot move: the rest levels what can be levelled.
    fixed = Holdings(np.array([[2, 1, 0]]), np.array([[5, 0, 0]]), np.array([True, True, True]))
    assert sorted(balanced(fixed, flat(1)).after.tolist()[0]) == [0, 1, 2]


def test_level_is_told_from_what_is_not():
    holdings = Holdings(np.array([[2, 0]]), np.array([[1, 0]]), np.array([True, True]))
    assert is_level(holdings, flat(1), np.array([[0, 2]]))
    assert is_level(holdings, flat(1), np.array([[1, 1]]))
    assert not is_level(holdings, flat(1), np.array([[2, 0]]))
    # Three run in the one and nothing is movable: as level as can be.
    stuck = Holdings(np.array([[0, 0]]), np.array([[3, 0]]), np.array([True, True]))
    assert is_level(stuck, flat(1), np.array([[0, 0]]))
    closed = all_movable(np.array([[1, 1]]), np.array([True, False]))
    assert not is_level(closed, flat(1), np.array([[1, 1]]))
    assert is_level(closed, flat(1), np.array([[2, 0]]))


def test_the_proof_refuses_every_answer_but_the_best():
    chance = np.random.default_rng(3)
    refused = accepted = 0
    for _ in range(400):
        holdings = draw(chance, int(chance.integers(0, 3)))
        tree = draw_tree(chance, len(holdings.movable))
        asked = extras_of(holdings, tree, shares_of(holdings))
        other = np.zeros_like(asked.may)
        for group, rest in enumerate(asked.rest.tolist()):
            other[group, chance.permutation(np.flatnonzero(asked.may[group]))[:rest]] = True
        assert is_an_answer(asked, other)
        z, _ = extras(asked)
        least = cost_of(asked, other) == cost_of(asked, z)
        assert is_least(asked, other) == least
        refused, accepted = refused + (not least), accepted + least
    assert min(refused, accepted) > 50


def cost_of(asked, z) -> tuple[int, int, int]:
    total = asked.base + [z[list(groups)].sum(axis=0) for groups in members(asked.tree)]
    squares = (total[:, asked.open] ** 2).sum(axis=1)
    return int(squares[:-1].sum()), int(squares[-1]), int(asked.cost[z].sum())


def test_an_answer_deals_out_all_and_only_where_it_may():
    holdings = all_movable(np.array([[3, 0]]))
    asked = extras_of(holdings, flat(1), shares_of(holdings))
    assert is_an_answer(asked, np.array([[True, False]]))
    assert not is_an_answer(asked, np.array([[True, True]]))
    assert not is_an_answer(asked, np.array([[False, False]]))
    closed = all_movable(np.array([[3, 0, 0]]), np.array([True, False, True]))
    asked = extras_of(closed, flat(1), shares_of(closed))
    assert not is_an_answer(asked, np.array([[False, True, False]]))


@pytest.mark.parametrize(
    ("movable", "fixed", "open_", "said"),
    [
        ([[-1]], [[0]], [True], "fewer than no"),
        ([[1]], [[-1]], [True], "fewer than no"),
        ([[1]], [[0]], [False], "no shard is open"),
        ([[1, 1]], [[0, 1]], [True, False], "must stay"),
        ([[1, 1]], [[0]], [True, True], "shape"),
    ],
)
def test_holdings_that_cannot_be_are_refused(movable, fixed, open_, said):
    with pytest.raises(ValueError, match=said):
        Holdings(np.array(movable), np.array(fixed), np.array(open_))


def test_the_whole_is_worth_any_number_of_moves():
    """Each group is at home in two shards; that the last gets its share moves all three."""
    may = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], dtype=np.bool_)
    asked = Extras(
        rest=np.ones(3, dtype=np.int64),
        may=may,
        cost=1 - np.eye(3, 4, dtype=np.int64),
        base=np.array([[1, 0, 0, 0]]),
        open=np.ones(4, dtype=np.bool_),
        tree=flat(3),
    )
    z, proven = extras(asked)
    assert proven
    assert np.array_equal(z, np.eye(3, 4, k=1, dtype=np.bool_))


def test_a_set_is_worth_any_distance_of_the_whole():
    asked = Extras(
        rest=np.ones(2, dtype=np.int64),
        may=np.ones((2, 3), dtype=np.bool_),
        cost=np.zeros((2, 3), dtype=np.int64),
        base=np.array([[0, 0, 0], [0, 50, 90]]),
        open=np.ones(3, dtype=np.bool_),
        tree=chained(np.zeros(2, dtype=np.int64), np.array([2, 1])),
    )
    z, proven = extras(asked)
    assert proven
    assert z.sum(axis=0).tolist() == [1, 1, 0]
