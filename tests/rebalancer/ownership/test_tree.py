"""Sets of groups that are counted together."""

import numpy as np
from holdings import all_movable
from hypothesis import given
from hypothesis import strategies as st

from rebalancer.problems.ownership.balance import balanced
from rebalancer.problems.ownership.tree import Tree, chained, flat


def members(tree: Tree) -> list[list[int]]:
    """Give the groups in each set, as the sums of unit rows tell."""
    units = np.eye(len(tree.of_group), dtype=np.int64)
    return [np.flatnonzero(row).tolist() for row in tree.sums(units)]


def test_beginnings_of_each_kind_and_the_whole():
    kind, size = np.array([0, 1, 0, 0, 2, 2]), np.array([4, 8, 9, 1, 5, 5])
    tree = chained(kind, size)
    assert members(tree) == [[0, 2], [0, 2, 3], [4, 5], [0, 1, 2, 3, 4, 5]]
    assert tree.above[-1] == len(tree) == 4


def test_without_kinds_there_is_only_the_whole():
    assert members(flat(3)) == [[0, 1, 2]]
    assert members(chained(np.array([0, 1]), np.array([2, 2]))) == [[0, 1]]
    assert members(chained(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))) == [[]]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=9))
def test_any_tree_holds_the_beginnings(groups):
    kind, size = (np.array(column) for column in zip(*groups, strict=True))
    expected = set()
    for each in set(kind.tolist()):
        order = sorted(np.flatnonzero(kind == each).tolist(), key=lambda g: (-size[g], g))
        expected |= {frozenset(order[:n]) for n in range(2, len(order) + 1)}
    found = members(chained(kind, size))
    assert {frozenset(row) for row in found[:-1]} == expected
    assert found[-1] == list(range(len(groups)))


@given(st.integers(2, 9), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_machines_of_a_class_are_like_within_its_largest_domain(groups, shards, seed):
    chance = np.random.default_rng(seed)
    size = chance.integers(1, 40, groups)
    count = chance.integers(0, 9, (groups, shards))
    kind = np.zeros(groups, dtype=np.int64)
    after = balanced(all_movable(count), chained(kind, size)).after
    assert np.ptp((size[:, None] * after).sum(axis=0)) <= size[count.any(axis=1)].max(initial=0)
