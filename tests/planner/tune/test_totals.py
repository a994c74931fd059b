"""Sums over the snapshots of each trial."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.tune.totals import rounded, totals_of
from planner.tune.trial import Effect, Result, Trial


def plan(levels, after, drained=0, created=0):
    rows = tuple(Level(priority, 9, served, 9) for priority, served in levels.items())
    return Effect(Outcome.OPTIMAL, rows, drained, created, {}, after, False, 1.0)


def test_snapshots_are_added_up():
    one = Result(
        Trial(1, {}),
        (
            plan({5: 2, 1: 3}, {Goal.MOVES: 1.5, Goal.GANG_SPREAD: 2.0}, drained=1),
            plan({9: 1, 5: 4}, {Goal.MOVES: 0.25}, drained=2, created=7),
        ),
    )
    totals = totals_of([one])
    assert totals.priorities == (9, 5, 1)
    assert totals.served.tolist() == [[1, 6, 3]]
    assert (totals.drained.tolist(), totals.created.tolist()) == ([3], [7])
    # What one snapshot goes without cannot be added up.
    assert totals.goals == (Goal.MOVES,)
    assert totals.values.tolist() == [[1.75]]
    assert totals.vectors.tolist() == [[-1, -6, -3, 3, 7, 1.75]]


@given(st.floats(-1e300, 1e300, allow_subnormal=False), st.sampled_from((-1e-13, 1e-13)))
def test_nine_digits_count(value, noise):
    found, same, again = rounded(np.array([value, value * (1 + noise), 0.0 * value])).tolist()
    assert abs(found - value) <= 5.1e-9 * abs(value)
    assert rounded(np.array([found])).tolist() == [found]
    # Only just where the ninth digit turns over does so little matter.
    assert same == found or abs(abs(value - found) - abs(value - same)) <= 1e-11 * abs(value)
    assert np.copysign(1, again) == 1


def test_sums_in_another_order_are_equal():
    tenths = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1])
    assert tenths[0] != tenths[1]
    assert len(set(rounded(tenths).tolist())) == 1
