"""Draw tables and sentences as text for a screen or a file; nothing in a cell is markup."""

from collections.abc import Sequence

from planner.render.plain import aligned
from planner.render.printable import printable
from planner.render.screen import Screen
from planner.render.table import Table

_MOST_FOLDED_ROWS = 500
"""Rich takes 0.5 ms a row (ten thousand rows of eight cells: 5 s); longer tables are not folded."""


def draw(parts: Sequence[Table | str], screen: Screen) -> str:
    """Give tables and sentences as text, in order, a blank line between them."""
    shown = [part for part in parts if isinstance(part, str) or part.rows or part.empty]
    return "\n".join(_part(part, screen) for part in shown)


def _part(part: Table | str, screen: Screen) -> str:
    if isinstance(part, str):
        lines = [printable(line) for line in part.split("\n")]
    elif not part.rows:
        lines = [printable(part.empty)]
    elif screen.width is None or len(part.rows) > _MOST_FOLDED_ROWS:
        lines = [printable(part.title), *aligned(part)]
    else:
        lines = _folded(part, screen.width, screen.styled)
    return "".join(f"{line}\n" for line in lines)


def _folded(table: Table, width: int, styled: bool) -> list[str]:
    """Give the lines of a table that folds long cells so as to stay within ``width``."""
    # Here, so that nothing else pays for rich.
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in table.headings:
        if heading in table.numbers:
            drawn.add_column(Text(printable(heading)), justify="right", no_wrap=True)
        else:
            drawn.add_column(Text(printable(heading)), overflow="fold")
    for row in table.rows:
        # Text, not str: rich reads a str as markup, and ids may hold brackets.
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
    )
    console.print(Text(printable(table.title), style="bold"))
    console.print(drawn)
    return [line.rstrip() for line in out.getvalue().splitlines()]
