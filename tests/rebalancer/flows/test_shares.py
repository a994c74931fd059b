"""Dealing out: whole, fair, and nobody gets more than there is."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rebalancer.flows.shares import dealt, in_order, in_proportion, meeting


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


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), max_size=6), st.randoms(use_true_random=False))
def test_named_amounts_meet_one_by_one_in_their_order(amounts, chance):
    """Names repeat and amounts may be 0: what meets is what two queues of single things would."""
    left = [(chance.randint(0, 2), amount) for amount in amounts]
    ends = sorted(chance.randint(0, sum(amounts)) for _ in range(3))
    cuts = np.diff([0, *ends, sum(amounts)]).tolist()
    right = [(chance.randint(0, 2), amount) for amount in cuts]
    queues = [[at for at, (_, n) in enumerate(side) for _ in range(n)] for side in (left, right)]
    pairs = Counter(zip(*queues, strict=True))
    expected = [(left[i][0], right[j][0], count) for (i, j), count in pairs.items()]
    assert list(dealt(left, right)) == expected
