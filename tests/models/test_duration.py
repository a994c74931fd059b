"""Durations: known ones, refusals, and that what is written reads back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.duration import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10.0),
        ("5m", 300.0),
        ("1h30m", 5400.0),
        ("24h", 86400.0),
        ("500ms", 0.5),
        ("300ms", 0.3),
        ("2d", 172800.0),
        ("1.5h", 5400.0),
        ("0s", 0.0),
        ("1d2h3m4s5ms", 93784.005),
        ("90", 90.0),
        (90, 90.0),
        (0.25, 0.25),
        (-0.0, 0.0),
    ],
)
def test_known_durations(text: str | float, seconds: float) -> None:
    assert parse_duration(text) == seconds
    assert str(parse_duration(text)) == str(seconds)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-5s", "negative"),
        (-1, "negative"),
        (float("nan"), "not a finite"),
        (float("inf"), "not a finite"),
        (10**400, "too long"),
        (True, "truth value"),
        ("", "not a duration"),
        ("s", "not a duration"),
        ("-", "not a duration"),
        ("nan", "not a duration"),
        ("inf", "not a duration"),
        ("1e3s", "not a duration"),
        ("10 s", "not a duration"),
        ("10s\n", "not a duration"),
        ("5m1h", "not a duration"),
        ("5m5m", "not a duration"),
        ("1w", "not a duration"),
        ("1.s", "not a duration"),
        ("٣s", "not a duration"),
        ("9" * 10**6 + "s", "too long"),
        (None, "NoneType is not a duration"),
    ],
)
def test_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        parse_duration(text)
    assert len(str(caught.value)) < 200


@given(st.integers(0, 10**12))
def test_whole_milliseconds_read_back(millis: int) -> None:
    assert parse_duration(format_duration(millis / 1000)) == millis / 1000


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.0004, "0s"),
        (0.5, "500ms"),
        (59.9996, "1m"),
        (90, "1m30s"),
        (5400, "1h30m"),
        (86400, "1d"),
        (3661.25, "1h1m1s250ms"),
    ],
)
def test_written_for_people(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_writes_no_senseless_duration(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"negative|finite"):
        format_duration(seconds)
