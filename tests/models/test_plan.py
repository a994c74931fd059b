"""Plans: the gap of a level, and which moves drain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.plan import DRAINS, Level, MoveKind


@pytest.mark.parametrize(
    ("served", "bound", "gap"), [(0, 0, 0.0), (5, 5, 0.0), (0, 5, 1.0), (3, 4, 0.25)]
)
def test_the_gap_is_what_is_missing_of_the_bound(served, bound, gap):
    assert Level(0, asked=9, served=served, bound=bound).gap == gap


@given(st.integers(0, 2**63 - 1), st.data())
def test_the_gap_is_a_share_and_nothing_only_at_the_bound(bound, data):
    served = data.draw(st.integers(0, bound))
    gap = Level(0, asked=bound, served=served, bound=bound).gap
    assert 0 <= gap <= 1
    assert (gap == 0) == (served == bound)


def test_moves_that_take_a_machine_from_somebody_drain():
    of_free = {MoveKind.TRANSFER_IDLE, MoveKind.TRANSFER_SPECULATIVE, MoveKind.REPLACE}
    assert set(MoveKind) - DRAINS == of_free
