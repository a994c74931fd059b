"""Horizontal bars as inline SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.report.markup import escaped

_WIDTH = 1000
_LABEL = 190
_NOTE = 250
_ROW = 30
_BAR = 18
_THINNEST = 2.0
"""Units: a share that is not zero stays visible."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: ``parts`` are lengths, each with its class of colour."""

    label: str
    parts: tuple[tuple[str, float], ...]
    note: str


def bars(rows: Sequence[Bar], title: str) -> str:
    """Give bars to one scale, the longest as wide as there is room; ``title`` is read aloud."""
    longest = max((sum(size for _, size in row.parts) for row in rows), default=0.0)
    room = _WIDTH - _LABEL - _NOTE
    drawn = [
        _bar(row, index * _ROW, room / longest if longest else 0.0)
        for index, row in enumerate(rows)
    ]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {len(rows) * _ROW}" role="img" '
        f'aria-label="{escaped(title)}">{"".join(drawn)}</svg>'
    )


def _bar(row: Bar, top: int, scale: float) -> str:
    left = float(_LABEL)
    middle = top + _ROW / 2
    drawn = [f'<text x="0" y="{middle + 4:.0f}">{escaped(row.label)}</text>']
    for colour, size in row.parts:
        if size <= 0:
            continue
        width = max(size * scale, _THINNEST)
        drawn.append(
            f'<rect class="bar-{colour}" x="{left:.1f}" y="{middle - _BAR / 2:.0f}" '
            f'width="{width:.1f}" height="{_BAR}" rx="2"/>'
        )
        left += width
    drawn.append(
        f'<text class="note" x="{left + 10:.1f}" y="{middle + 4:.0f}">{escaped(row.note)}</text>'
    )
    return "".join(drawn)
