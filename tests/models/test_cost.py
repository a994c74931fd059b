"""Costs against plain fractions of the decimals that people wrote."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.cost import SATURATED_COST, UNKNOWN_COST, effective_cost_nanos, hourly_probability


def cost_slowly(price: float, probability: float, penalty: float) -> int:
    if math.isnan(price):
        return UNKNOWN_COST
    usd = Fraction(Decimal(repr(price))) + Fraction(Decimal(repr(probability))) * Fraction(
        Decimal(repr(penalty))
    )
    return min(round(usd * 10**9), 9 * 10**18)


any_amount = st.floats(0, 1.7e308)
# Halves of a nano-dollar and their neighbours, where the float estimate may fall on either side.
near_half = st.builds(
    lambda count, steps: max(0.0, float(np.float64((count + 0.5) / 1e9) * (1 + steps * 2.0**-53))),
    st.integers(0, 10**16),
    st.integers(-12, 12),
)
usual = st.integers(0, 10**7).map(lambda cents: cents / 1e4)
# Around the point where nano-dollars saturate, and where a float no longer holds half of one.
big = st.one_of(st.floats(8.99e9, 9.01e9), st.floats(4e5, 7e5))
amounts = st.one_of(any_amount, near_half, usual, big, st.floats(0, 1e-300))
probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.5, 5e-324, 0.7, 1e-9]))


@given(st.one_of(amounts, st.just(math.nan)), probabilities, amounts)
@example(0.1, 0.7, 1.0)
@example(1e300, 1.0, 1e300)
@example(1.7e308, 1.0, 1.7e308)
@example(0.0, 3.0009666e-317, 1.666129842293058e307)
@example(5e-10, 0.0, 0.0)
@example(1.5e-9, 0.0, 0.0)
@example(9e9, 0.0, 0.0)
@example(9000000000.000002, 0.0, 0.0)
@example(8999999999.999999, 0.0, 0.0)
@example(562949.9534213125, 0.0, 0.0)
def test_equals_the_exact_sum_rounded_once(
    price: float, probability: float, penalty: float
) -> None:
    cost = effective_cost_nanos(price, probability, penalty)
    assert cost.dtype == np.int64
    assert cost.shape == ()
    assert int(cost) == cost_slowly(price, probability, penalty)


@given(st.integers(10**9, 10**14), st.floats(0.01, 0.9), st.floats(0.01, 1))
def test_sums_at_half_a_nano_dollar_round_as_the_exact_ones(
    count: int, share: float, probability: float
) -> None:
    # Forty neighbouring prices each, to meet the few at which the float sum is on the wrong side.
    target = (count + 0.5) / 1e9
    penalty = target * share / probability
    middle = target - probability * penalty
    prices = middle + np.arange(-20, 20) * np.spacing(middle)
    costs = effective_cost_nanos(prices, probability, penalty)
    assert costs.tolist() == [cost_slowly(price, probability, penalty) for price in prices.tolist()]


@given(
    st.lists(st.one_of(amounts, st.just(math.nan)), max_size=5),
    st.lists(st.tuples(probabilities, amounts), max_size=4),
)
def test_broadcasts(prices: list[float], risks: list[tuple[float, float]]) -> None:
    column = np.array(prices).reshape(-1, 1)
    probability = np.array([p for p, _ in risks])
    penalty = np.array([penalty for _, penalty in risks])
    before = column.copy()
    costs = effective_cost_nanos(column, probability, penalty)
    assert costs.shape == (len(prices), len(risks))
    assert costs.tolist() == [[cost_slowly(price, *risk) for risk in risks] for price in prices]
    assert np.array_equal(column, before, equal_nan=True)


def test_equal_on_paper_is_equal() -> None:
    spot = effective_cost_nanos(0.1, 0.7, 1.0)
    on_demand = effective_cost_nanos(0.8, 0.0, 1.0)
    assert spot == on_demand == 800_000_000


def test_a_million_entries_that_need_the_exact_way_share_their_work() -> None:
    # Every one lies at half a nano-dollar; one by one the exact way would take many seconds.
    prices = np.tile([0.5e-9, 1.5e-9], 500_000)
    before = time.process_time()
    costs = effective_cost_nanos(prices, 0.0, 0.0)
    assert time.process_time() - before < 3
    assert costs[:2].tolist() == [0, 2]
    assert costs.sum() == 1_000_000


def test_examples_of_the_contract() -> None:
    assert effective_cost_nanos(1.80, 0.10, [5, 50]).tolist() == [2_300_000_000, 6_800_000_000]
    assert effective_cost_nanos(6.00, 0, 50) == 6_000_000_000
    assert effective_cost_nanos(1e300, 0, 0) == SATURATED_COST
    assert effective_cost_nanos(math.nan, 0, 0) == UNKNOWN_COST == 2**63 - 1
    assert effective_cost_nanos(0, 0, 0) == 0


@pytest.mark.parametrize(
    "numbers",
    [
        (-1.0, 0.0, 0.0),
        (math.inf, 0.0, 0.0),
        (1.0, -0.1, 0.0),
        (1.0, math.nan, 0.0),
        (1.0, 0.1, -1.0),
        (1.0, 0.0, math.inf),
        (math.nan, 0.0, math.nan),
    ],
)
def test_refuses_senseless_numbers(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="negative or not finite"):
        effective_cost_nanos(*numbers)


@given(st.floats(0, 1))
def test_hourly_probability_compounds_to_the_monthly_one(monthly: float) -> None:
    hourly = hourly_probability(monthly)
    assert 0 <= hourly <= 1
    assert 1 - (1 - Fraction(hourly)) ** 730 == pytest.approx(monthly, rel=1e-9, abs=1e-300)


def test_hourly_probability_of_arrays_and_ends() -> None:
    rates = np.array([0.0, 0.05, 1.0])
    assert hourly_probability(rates).tolist() == [hourly_probability(r) for r in rates.tolist()]
    assert hourly_probability(0.05) == pytest.approx(7.0262e-05, rel=1e-4)
    assert [hourly_probability(0.0), hourly_probability(1.0)] == [0.0, 1.0]
    assert hourly_probability(1e-18) == pytest.approx(1e-18 / 730)
    assert isinstance(hourly_probability(0.5), float)


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan])
def test_hourly_probability_refuses_what_is_none(rate: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        hourly_probability(rate)
