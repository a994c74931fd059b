"""Lengths of time as people write them (``1h30m``, ``500ms``) to seconds and back."""

import math
import re
from fractions import Fraction

_UNIT_SECONDS = {
    "d": Fraction(86400),
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 1000),
}

# Each unit at most once and the larger before the smaller, so that 5m10m is seen as the slip it is.
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_DURATION = re.compile(
    "".join(f"(?:(?P<{unit}>{_NUMBER}){unit})?" for unit in _UNIT_SECONDS), re.ASCII
)
_BARE = re.compile(_NUMBER, re.ASCII)

_LONGEST = 64
"""Characters of the longest text looked at: exact arithmetic on more would only cost time."""


def parse_duration(text: str | int | float) -> float:
    """Give a length of time in seconds; a number without a unit is in seconds.

    Raises
    ------
    ValueError
        When it is negative, not finite, or no duration.
    """
    if isinstance(text, bool):
        raise ValueError(f"{text} is a truth value, not a duration.")
    if isinstance(text, str):
        return _parse_text(text)
    if not isinstance(text, int | float):
        raise ValueError(f"a {type(text).__name__} is not a duration; write a number or a text.")
    try:
        seconds = float(text)
    except OverflowError:
        raise ValueError("the duration is too long to be counted in seconds.") from None
    if not math.isfinite(seconds):
        raise ValueError(f"{seconds} is not a finite duration.")
    if seconds < 0:
        raise ValueError(f"{seconds} is negative; a duration must not be.")
    return seconds + 0.0  # -0.0 becomes 0.0


def format_duration(seconds: float) -> str:
    """Write a length of time for people, to the nearest millisecond: ``1h30m``, ``2d``, ``0s``.

    Raises
    ------
    ValueError
        When it is negative or not finite.
    """
    rest = round(Fraction(parse_duration(seconds)) * 1000)
    written = ""
    for unit, length in _UNIT_SECONDS.items():
        count, rest = divmod(rest, int(length * 1000))
        if count:
            written += f"{count}{unit}"
    return written or "0s"


def _parse_text(text: str) -> float:
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:_LONGEST]!r}... is too long for a duration.")
    if _BARE.fullmatch(text):
        return float(text)
    match = _DURATION.fullmatch(text)
    if match is None or not text:
        if text.startswith("-") and text != "-":
            raise ValueError(f"{text!r} is negative or no duration; write it as in 10s, 1h30m.")
        raise ValueError(f"{text!r} is not a duration; write it as in 500ms, 10s, 1h30m, 2d.")
    # Summed exactly and rounded once, so 300ms is 0.3 and not a neighbour of it.
    total = sum(
        (
            Fraction(number) * _UNIT_SECONDS[unit]
            for unit, number in match.groupdict().items()
            if number is not None
        ),
        Fraction(0),
    )
    return float(total)
