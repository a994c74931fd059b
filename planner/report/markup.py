"""Text and tables as HTML; everything from outside passes ``escaped``."""

from html import escape

from planner.render.printable import printable
from planner.render.table import Table

MOST_ROWS = 200
"""Longer tables are cut, and say so: a page of ten thousand rows helps nobody."""


def escaped(text: str) -> str:
    """Give text that HTML shows as it is, in an element or between quotes."""
    return escape(printable(text), quote=True)


def section(heading: str, *body: str) -> str:
    """Give a part of the page under its heading; ``body`` is HTML."""
    return f"<section>\n<h2>{escaped(heading)}</h2>\n{''.join(body)}\n</section>"


def paragraph(text: str) -> str:
    """Give a sentence in the quieter colour."""
    return f'<p class="muted">{escaped(text)}</p>'


def table(shown: Table, most: int = MOST_ROWS) -> str:
    """Give a table, or the sentence that stands for an empty one."""
    if not shown.rows:
        return paragraph(shown.empty) if shown.empty else ""
    kinds = [' class="number"' if name in shown.numbers else "" for name in shown.headings]
    head = "".join(
        f"<th{kind}>{escaped(name)}</th>" for name, kind in zip(shown.headings, kinds, strict=True)
    )
    rows = [
        "<tr>"
        + "".join(f"<td{kind}>{escaped(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        + "</tr>"
        for row in shown.rows[:most]
    ]
    more = len(shown.rows) - len(rows)
    rest = paragraph(f"... and {more} more rows") if more > 0 else ""
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>'
        + "\n".join(rows)
        + f"</tbody></table></div>{rest}"
    )
