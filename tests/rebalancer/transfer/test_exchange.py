"""What is asked is checked once, and then stays as it is."""

from dataclasses import replace

import numpy as np
import pytest

from rebalancer.problems.transfer.exchange import (
    Costs,
    Exchange,
    Wanted,
    effective_costs,
)
from rebalancer.problems.transfer.offers import NOBODY, Offers, Tier


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def question() -> Exchange:
    return Exchange(
        priorities=ints(0, 100_000),
        eligible=np.array([[True, False, True]]),
        offers=Offers(ints(0, 1), ints(0, 2), ints(0, 2), ints(NOBODY, 0), ints(3, 4)),
        wanted=Wanted(ints(1), ints(0), ints(1), np.array([2.0]), ints(5)),
        costs=effective_costs(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.1, 0.2]), 2),
        most_drains=ints(1, 1),
    )


def test_effective_costs_are_the_price_in_every_tier_and_the_risk():
    costs = question().costs
    assert costs.take.tolist() == [[1.0, 2.0, 3.0]] * 3
    assert costs.lose.tolist() == [0.0] * 3
    assert costs.risk.tolist() == [0.0, 0.1, 0.2]


def test_columns_are_read_only():
    asked = question()
    for column in (asked.offers.count, asked.wanted.short, asked.costs.take):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"donor": ints(0, -1)}, "negative"),
        ({"count": ints(0, -1)}, "negative"),
        ({"level": ints(NOBODY, -2)}, "negative"),
        ({"tier": ints(0, 3)}, "tier 3 is unknown"),
        ({"level": ints(0, 0)}, "only machines of the tier DRAIN"),
        ({"donor": ints(0, 0), "thing": ints(0, 0), "tier": ints(0, 0), "level": ints(-1, -1)},
         "alike"),
        ({"count": ints(1)}, "one length"),
        ({"count": ints(2**62, 2**62)}, "or more are offered"),
    ],
)  # fmt: skip
def test_offers_that_make_no_sense_are_refused(change, told):
    with pytest.raises(ValueError, match=told):
        replace(question().offers, **change)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"short": ints(-1)}, "negative"),
        ({"level": ints(-1)}, "negative"),
        ({"penalty_usd": np.array([-1.0])}, "negative"),
        ({"penalty_usd": np.array([np.nan])}, "not finite"),
        ({"penalty_usd": np.array([np.inf])}, "not finite"),
        ({"receiver": ints(0, 1)}, "one length"),
    ],
)
def test_wants_that_make_no_sense_are_refused(change, told):
    with pytest.raises(ValueError, match=told):
        replace(question().wanted, **change)


def test_only_idle_machines_may_be_of_unknown_price():
    take = np.ones((3, 1))
    take[Tier.IDLE] = np.nan
    Costs(take.copy(), np.zeros(2), np.zeros(1))
    for tier, bad in ((Tier.IDLE, np.inf), (Tier.SPECULATIVE, np.nan), (Tier.DRAIN, np.nan)):
        wrong = np.ones((3, 1))
        wrong[tier] = bad
        with pytest.raises(ValueError, match="not finite"):
            Costs(wrong, np.zeros(2), np.zeros(1))


@pytest.mark.parametrize(
    ("lose", "risk", "told"),
    [(np.nan, 0.0, "not finite"), (0.0, np.inf, "not finite"), (0.0, -0.1, "negative")],
)
def test_costs_that_make_no_sense_are_refused(lose, risk, told):
    with pytest.raises(ValueError, match=told):
        Costs(np.ones((3, 1)), np.array([0.0, lose]), np.array([risk]))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"priorities": ints(0, 0)}, "ascend"),
        ({"most_drains": ints(1, -1)}, "a limit is negative"),
        ({"most_moves": -1}, "a limit is negative"),
        ({"eligible": np.array([[True, False]])}, "costs have shapes"),
        ({"priorities": ints(0)}, "costs have shapes"),
        ({"kept": np.zeros((1, 3), dtype=np.int64)}, "kept has shape"),
        ({"most_drains": ints(1)}, "offers.donor holds 1"),
        ({"eligible": np.zeros((0, 3), dtype=np.bool_)}, "wanted.profile holds 0"),
        ({"offers": replace(question().offers, level=ints(NOBODY, 2))}, "offers.level holds 2"),
        ({"offers": replace(question().offers, thing=ints(0, 3))}, "offers.thing holds 3"),
        ({"wanted": replace(question().wanted, level=ints(2))}, "wanted.level holds 2"),
        ({"wanted": replace(question().wanted, receiver=ints(2))}, "wanted.receiver holds 2"),
    ],
)
def test_questions_whose_parts_do_not_fit_are_refused(change, told):
    with pytest.raises(ValueError, match=told):
        replace(question(), **change)
