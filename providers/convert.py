"""From the cells of a table to typed values, with every fault noted and none of them fatal."""

import csv
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from models.errors import Fault, InputFault

_MOST_FAULTS = 100
"""Faults listed for one input: a file of another format has one in each of its rows."""

_LARGEST = Decimal(10) ** 15
"""Above any price, size or count of a real offer; a larger cell is a slip."""

_PERCENT = re.compile(r"-?[0-9]{1,2}|-[0-9]{3}|100", re.ASCII)


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Lines of a CSV table whose first line names the columns, with the name a fault calls it."""

    name: str
    lines: Iterable[str]


@dataclass(slots=True)
class Faults:
    """Collects what is wrong with an input until it has been read to its end."""

    listed: list[Fault] = field(default_factory=list)
    unlisted: int = 0

    def add(self, path: str, message: str) -> None:
        """Note one fault; beyond a hundred they are only counted."""
        if len(self.listed) < _MOST_FAULTS:
            self.listed.append(Fault(path, message))
        else:
            self.unlisted += 1

    def raise_any(self) -> None:
        """Raise ``InputFault`` with all that was noted, if anything was."""
        if not self.listed:
            return
        rest = [Fault("", f"and {self.unlisted} faults more.")] if self.unlisted else []
        raise InputFault(self.listed + rest)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table. A cell that cannot be read is noted, and some number stands for it."""

    path: str
    cells: dict[str, str]
    faults: Faults

    def refuse(self, column: str, reason: str) -> None:
        """Note that a cell cannot be taken; ``reason`` goes on after the cell's value."""
        cell = self.cells[column]
        shown = cell if len(cell) <= 40 else f"{cell[:40]}..."
        self.faults.add(f"{self.path}.{column}", f"{shown!r} {reason}")

    def text(self, column: str) -> str:
        """Give a cell that must not be empty."""
        cell = self.cells[column]
        if not cell:
            self.faults.add(f"{self.path}.{column}", "the cell is empty; it must not be.")
        return cell

    def number(self, column: str) -> Decimal:
        """Give a cell that holds a number of zero or more, exactly."""
        cell = self.cells[column]
        # Decimal() also reads underscores, spaces and the digits of other scripts.
        if cell.isascii() and cell.replace(".", "", 1).isdigit():
            number = Decimal(cell)
            if number <= _LARGEST:
                return number
        self.refuse(column, "is not a number from 0 to 1e15; mend the cell.")
        return Decimal(0)

    def percent(self, column: str) -> Decimal:
        """Give a whole number from -999 to 100."""
        cell = self.cells[column]
        if _PERCENT.fullmatch(cell):
            return Decimal(cell)
        self.refuse(column, "is not a whole number of percent from -999 to 100; mend the cell.")
        return Decimal(0)

    def number_if_any(self, column: str) -> Decimal | None:
        """Give a number, or None for an empty cell."""
        return self.number(column) if self.cells[column] else None

    def count(self, column: str) -> int:
        """Give a whole number; 0 for an empty cell, fractions dropped (half a GPU is none)."""
        return int(self.number_if_any(column) or 0)


def read_rows(table: CsvTable, columns: Iterable[str], faults: Faults) -> Iterator[Row]:
    """Give the rows of a table that has at least ``columns``; note what cannot be read."""
    rows = csv.reader(table.lines, strict=True)
    try:
        header = next(rows, None)
        if header is None:
            faults.add(table.name, "the table is empty; its first line must name the columns.")
            return
        missing = [column for column in columns if column not in header]
        if missing:
            faults.add(
                f"{table.name}: line 1",
                f"there is no column {', '.join(missing)}; is it another table?",
            )
            return
        for cells in rows:
            path = f"{table.name}: line {rows.line_num}"
            if len(cells) == len(header):
                yield Row(path, dict(zip(header, cells, strict=True)), faults)
            elif cells:
                faults.add(path, f"the row has {len(cells)} cells, the first line {len(header)}.")
    except (OSError, EOFError, UnicodeError, csv.Error, zlib.error) as error:
        after = f"{table.name}: line {rows.line_num + 1}"
        faults.add(after, f"the text cannot be read ({error}); is it another format?")
