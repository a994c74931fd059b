"""Grace by priority gap: both worked examples of the specification, and each border."""

import numpy as np
import pytest

from hotpath.plain.score import grace_seconds
from models.settings import Settings

STEPS = Settings().preempt.grace


@pytest.mark.parametrize(
    ("gap", "seconds"),
    [
        (0, 600.0),
        (1, 600.0),
        (100_000, 600.0),
        (100_001, 120.0),
        (499_999, 120.0),
        (500_000, 30.0),
        (900_000, 30.0),
        (900_001, 10.0),
        (2**32 - 1, 10.0),
    ],
)
def test_grace(gap, seconds):
    assert grace_seconds(STEPS, np.array([gap])).tolist() == [seconds]


def test_many_gaps_at_once_keep_their_places():
    gaps = np.array([500_000, 0, 900_001, 100_001])
    assert grace_seconds(STEPS, gaps).tolist() == [30.0, 600.0, 10.0, 120.0]
