"""Shortfalls are taken together where nothing tells them apart, and only there."""

import numpy as np

from rebalancer.problems.transfer.exchange import Exchange, Wanted, effective_costs
from rebalancer.problems.transfer.groups import groups_of
from rebalancer.problems.transfer.offers import Offers


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_groups_differ_in_things_level_or_a_penalty_that_counts():
    """Profiles 0 and 1 ask for the same safe thing; profile 2 for one that may be interrupted."""
    question = Exchange(
        priorities=ints(0, 1),
        eligible=np.array([[True, False], [True, False], [True, True]]),
        offers=Offers(ints(0), ints(0), ints(0), ints(-1), ints(40)),
        wanted=Wanted(
            receiver=ints(0, 1, 0, 0, 1, 0),
            profile=ints(0, 1, 0, 2, 2, 2),
            level=ints(0, 0, 1, 0, 0, 0),
            penalty_usd=np.array([1.0, 2.0, 1.0, 1.0, 1.0, 2.0]),
            short=ints(1, 2, 4, 8, 16, 99),
        ),
        costs=effective_costs(np.array([1.0, 1.0]), np.array([0.0, 0.1]), 2),
        most_drains=ints(0, 0),
    )
    groups = groups_of(question)
    told = {
        (tuple(groups.eligible[g].tolist()), int(groups.level[g]), float(groups.penalty_usd[g])):
        int(groups.short[g])
        for g in range(len(groups))
    }  # fmt: skip
    assert told == {
        ((True, False), 0, 0.0): 3,
        ((True, False), 1, 0.0): 4,
        ((True, True), 0, 1.0): 24,
        ((True, True), 0, 2.0): 40,
    }
    assert len(groups) == 4
    own = groups.of_wanted
    assert own[0] == own[1]
    assert own[3] == own[4]
    assert groups.wanted_short.tolist() == [1, 2, 4, 8, 16, 40]
