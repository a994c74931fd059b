"""Dealing out: whole, fair, and nobody gets more than there is."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rebalancer.flows.shares import in_order, in_proportion, meeting


def ints(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


parts = st.lists(
    st.tuples(st.lists(st.integers(0, 50), min_size=1, max_size=5), st.floats(0, 1)), max_size=4
)


@settings(deadline=None)
@given(parts, st.permutations(range(20)))
def test_shares_are_within_one_of_the_proportion_and_ties_go_to_the_first(drawn, order):
    weights = [weight for given, _ in drawn for weight in given]
    part = [p for p, (given, _) in enumerate(drawn) for _ in given]
    total = [int(share * sum(given)) for given, share in drawn]
    rows = [row for row in order if row < len(part)]
    share = in_proportion(
        ints(total), ints([part[r] for r in rows]), ints([weights[r] for r in rows])
    )
    for p, (given_weights, _) in enumerate(drawn):
        mine = [(i, r) for i, r in enumerate(rows) if part[r] == p]
        assert sum(int(share[i]) for i, _ in mine) == total[p]
        exact = {i: Fraction(total[p] * weights[r], sum(given_weights) or 1) for i, r in mine}
        raised = [i for i, _ in mine if share[i] > exact[i]]
        for i, r in mine:
            assert 0 <= share[i] <= weights[r]
            assert abs(share[i] - exact[i]) < 1
        # No one left at the floor had a larger remainder, nor stood before with the same.
        for high in raised:
            for low in (i for i, _ in mine if i not in raised):
                rest = [exact[i] - exact[i].__floor__() for i in (high, low)]
                assert (rest[0], -high) > (rest[1], -low)


def test_large_shares_are_whole():
    share = in_proportion(ints([2**31]), ints([0, 0]), ints([2**30 + 1, 2**31]))
    assert share.sum() == 2**31


@settings(deadline=None)
@given(parts)
def test_in_order_the_first_take_all_they_can(drawn):
    weights = [weight for given, _ in drawn for weight in given]
    part = [p for p, (given, _) in enumerate(drawn) for _ in given]
    total = [int(share * sum(given)) for given, share in drawn]
    expected, left = [], list(total)
    for p, weight in zip(part, weights, strict=True):
        expected.append(min(left[p], weight))
        left[p] -= expected[-1]
    assert in_order(ints(total), ints(part), ints(weights)).tolist() == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=8), st.lists(st.integers(1, 9), max_size=8))
def test_two_sides_meet_in_their_order(left, right):
    right = [*right, sum(left) - sum(right)] if sum(left) >= sum(right) else right
    left = left if sum(left) == sum(right) else [*left, sum(right) - sum(left)]
    rows, columns, count = meeting(ints(left), ints(right))
    one_by_one = zip(
        (row for row, number in enumerate(left) for _ in range(number)),
        (row for row, number in enumerate(right) for _ in range(number)),
        strict=True,
    )
    met = [
        pair
        for pair, number in zip(zip(rows, columns, strict=True), count, strict=True)
        for _ in range(number)
    ]
    assert met == list(one_by_one)
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == len(rows)
