"""A table before it is drawn: a title, headings, and rows of text."""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.render.printable import printable


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, each as long as ``headings``.

    Attributes
    ----------
    empty
        The sentence that stands in the place of a table without rows; "" leaves it out whole.
    numbers
        Headings of the columns that are drawn flush right.
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    empty: str = ""
    numbers: frozenset[str] = frozenset()


def brief(names: Sequence[str]) -> str:
    """Give up to three names, or the first two and the last: ``g0, g1 ... g63``."""
    shown = [printable(name) for name in (names if len(names) <= 3 else (*names[:2], names[-1]))]
    if len(names) <= 3:
        return ", ".join(shown)
    return f"{shown[0]}, {shown[1]} ... {shown[2]}"


def dollars(value: float | None) -> str:
    """Give an amount of USD for people; ``-`` where it is unknown."""
    return "-" if value is None or value != value else f"${value:,.2f}"


def or_dash(value: object) -> str:
    """Give a cell's text; ``-`` stands for what is not there."""
    return "-" if value is None or value == "" else printable(str(value))
