"""Levels and what stays short, against sums a need at a time."""

from dataclasses import replace

import numpy as np
from builders import need
from hypothesis import given
from hypothesis import strategies as st
from plan_twins import standing_of, world_of

from models.need import MAX_COUNT
from models.plan import Level, Unmet
from models.shortfall import Reason, Shortfall
from rebalancer.levels import levels_of, unmet_of

COUNTS = st.one_of(st.integers(0, 6), st.just(MAX_COUNT))
ROWS = st.tuples(st.sampled_from([1, 5, 9]), COUNTS, *[st.integers(0, 4)] * 3, st.integers(-2, 3))


def standing_with(rows):
    """Give a standing of needs with (priority, count, have, waiting, short, change)."""
    needs = [need(f"a/n{at:02}", row[1], row[0]) for at, row in enumerate(rows)]
    standing = standing_of(world_of([], needs))
    have, waiting, short, change = (
        np.array([row[column] for row in rows], dtype=np.int64) for column in range(2, 6)
    )
    return replace(standing, have=have, waiting=waiting, short=short), change


@given(st.lists(ROWS, max_size=8), st.dictionaries(st.sampled_from([1, 5, 9]), st.integers(0, 4)))
def test_levels_are_the_sums_of_their_needs(rows, most_gained):
    standing, change = standing_with(rows)
    expected = []
    for priority in (9, 5, 1):
        level = [row for row in rows if row[0] == priority]
        if level:
            asked = min(sum(row[1] for row in level), MAX_COUNT)
            now = sum(row[2] + row[3] for row in level)
            after = now + sum(row[5] for row in level)
            bound = now + most_gained.get(priority, 0)
            expected.append(Level(priority, asked, min(after, asked), min(bound, asked)))
    assert levels_of(standing, change, most_gained) == tuple(expected)


@given(st.lists(ROWS, max_size=8))
def test_unmet_is_what_stays_short_by_priority_then_by_need(rows):
    standing, change = standing_with(rows)
    standing = replace(standing, shortfalls=(Shortfall(0, 1, Reason.TOPOLOGY_UNSATISFIABLE),))
    expected = []
    for priority in (9, 5, 1):
        for at, row in enumerate(rows):
            if row[0] == priority and row[4] > row[5]:
                reason = Reason.CAPACITY_EXHAUSTED if at else Reason.TOPOLOGY_UNSATISFIABLE
                expected.append(Unmet(at, row[4] - row[5], reason))
    assert unmet_of(standing, change) == tuple(expected)
