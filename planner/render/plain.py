"""Draw a table as aligned columns of text: for files and pipes, and where it is long."""

from planner.render.printable import printable
from planner.render.table import Table

_GAP = "  "


def aligned(table: Table) -> list[str]:
    """Give the lines of a table, headings first, without its title.

    Columns are as wide as their widest cell and never cut; nothing trails a line.
    """
    rows = [tuple(map(printable, row)) for row in (table.headings, *table.rows)]
    widths = [max(map(cells_of, column)) for column in zip(*rows, strict=True)]
    right = [heading in table.numbers for heading in table.headings]
    return [_GAP.join(map(_padded, row, widths, right)).rstrip() for row in rows]


def cells_of(text: str) -> int:
    """Give the number of terminal cells that a text takes; a Chinese character takes two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _padded(cell: str, width: int, flush_right: bool) -> str:
    space = " " * (width - cells_of(cell))
    return space + cell if flush_right else cell + space
