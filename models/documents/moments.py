"""Points in time as files write them, on the axis of a cycle where now is 0."""

import re
from datetime import UTC, datetime

from models.documents.faults import shown
from models.duration import parse_duration

_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)

_FARTHEST_SECONDS = 1e11
"""3170 years: farther away is a slip, and its text may be too long to be read back."""


def seconds_from_now(moment: str | datetime, now: datetime | None) -> float:
    """Give ``-10m``, ``5m`` or a point in time as seconds after ``now``, negative before.

    To the nanosecond. ``now`` may be None where only relative ones occur; without a zone it is UTC.

    Raises
    ------
    ValueError
        When it is no point in time, has no zone, or is absolute and ``now`` is not known.
    """
    if isinstance(moment, str) and not _RFC_3339.fullmatch(moment):
        sign = -1.0 if moment.startswith("-") else 1.0
        try:
            seconds = parse_duration(moment.removeprefix("-"))
        except ValueError:
            raise ValueError(
                f"{shown(moment)} is not a point in time; write it relative to now as in -10m, "
                "or as RFC 3339 as in 2026-01-31T12:00:00Z."
            ) from None
        if seconds > _FARTHEST_SECONDS:
            raise ValueError(f"{shown(moment)} is more than 3000 years away.")
        return round(sign * seconds, 9) + 0.0
    written = shown(moment if isinstance(moment, str) else moment.isoformat())
    try:
        point = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment.upper())
    except ValueError as error:
        raise ValueError(f"{written} is not a point in time: {error}.") from None
    if point.tzinfo is None:
        raise ValueError(f"{written} has no time zone; end it with Z or an offset.")
    if now is None:
        raise ValueError(
            f"{written} cannot be placed, since now is not known here; write it relative to now "
            "as in -10m."
        )
    return (point - (now if now.tzinfo else now.replace(tzinfo=UTC))).total_seconds()
