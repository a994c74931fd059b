"""Points in time: relative ones, RFC 3339, and what is neither."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.documents.moments import seconds_from_now

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("-10m", -600.0),
        ("5m", 300.0),
        ("0s", 0.0),
        ("-0s", 0.0),
        ("2026-01-31T11:59:00Z", -60.0),
        ("2026-01-31T13:00:00.5+01:00", 0.5),
        ("2026-01-31t12:00:10z", 10.0),
        (datetime(2026, 1, 31, 11, tzinfo=UTC), -3600.0),
    ],
)
def test_moments(written, seconds):
    assert seconds_from_now(written, NOW) == seconds
    assert seconds_from_now(written, NOW.replace(tzinfo=None)) == seconds


@given(st.timedeltas(timedelta(days=-9999), timedelta(days=9999)))
def test_written_points_are_placed_exactly(apart):
    assert seconds_from_now((NOW + apart).isoformat(), NOW) == apart.total_seconds()


@pytest.mark.parametrize(
    "written",
    ["", "-", "--5m",
        "-9999999999999d", "yesterday", "2026-01-31", "2026-01-31T12:00:00", "2026-13-01T00:00:00Z",
     "2026-01-31T12:00:00+99:00", datetime(2026, 1, 31)],
)  # fmt: skip
def test_what_is_no_point_in_time_is_refused(written):
    with pytest.raises(ValueError, match=r"\.$"):
        seconds_from_now(written, NOW)


def test_a_point_needs_now():
    with pytest.raises(ValueError, match="now is not known"):
        seconds_from_now("2026-01-31T11:59:00Z", None)
