"""The trade-off between two goals as an inline SVG, drawn by matplotlib."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.render.printable import printable


@dataclass(frozen=True, slots=True)
class Point:
    """One result: its value of both goals, how many trials have it, and what it is."""

    x: float
    y: float
    trials: int
    is_front: bool
    is_knee: bool
    is_present: bool
    label: str


def trade_off(points: Sequence[Point], x: str, y: str) -> str:
    """Give the picture; ``x`` and ``y`` say what the axes are, smaller is better on both."""
    # Text stays text, a dollar is one, and the same picture is the same bytes.
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "bigfleet", "text.parse_math": False}
    ):
        figure = Figure(figsize=(10, 5.2), layout="constrained")
        axes = figure.add_subplot()
        rest = [point for point in points if not point.is_front]
        front = sorted((p for p in points if p.is_front), key=lambda point: (point.x, point.y))
        _dots(axes, rest, color="#a2abb9", label="other results")
        _dots(axes, front, color="#2b5fb8", label="front")
        # A point that is on the front by some other goal is not on the line.
        line = [p for n, p in enumerate(front) if all(p.y < q.y for q in front[:n])]
        axes.plot([p.x for p in line], [p.y for p in line], color="#2b5fb8", alpha=0.35, zorder=1)
        _rings(axes, [p for p in points if p.is_knee], "*", 380, "#b3541e", "knee")
        _rings(axes, [p for p in points if p.is_present], "o", 220, "#1f7a5c", "present weights")
        for point in (p for p in points if p.is_knee or p.is_present):
            axes.annotate(
                printable(point.label),
                (point.x, point.y),
                xytext=(10, 10),
                textcoords="offset points",
            )
        axes.set_xlabel(printable(x))
        axes.set_ylabel(printable(y))
        axes.margins(0.1)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    # What goes before the element belongs to a file of its own.
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]


def _dots(axes: Axes, points: Sequence[Point], color: str, label: str) -> None:
    """Draw points, larger where more trials come to them."""
    if points:
        sizes = [28 + 60 * min(1.0, point.trials / 50) for point in points]
        axes.scatter([p.x for p in points], [p.y for p in points], sizes, color, label=label)


def _rings(
    axes: Axes, points: Sequence[Point], marker: str, size: float, color: str, label: str
) -> None:
    """Draw the outline of a mark around points."""
    for point in points:
        axes.scatter(
            [point.x], [point.y], size, marker=marker, facecolors="none", edgecolors=color,
            linewidths=2, label=label, zorder=3,
        )  # fmt: skip
