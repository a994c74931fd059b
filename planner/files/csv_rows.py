"""Rows of a CSV file as plain data: dotted columns as in Parquet, an empty cell is left out."""

import csv
import io

from models.errors import Fault, InputFault
from planner.files.source import Source, refusal

Row = dict[str, object]


def parse_csv(source: Source) -> tuple[list[Row], list[int]]:
    """Give the rows below the line that names the columns, all values text, and each one's line.

    A column ``labels.a.b/c`` is the key ``a.b/c`` of the row's ``labels``: the first dot splits.

    Raises
    ------
    InputFault
        With every row of another length, every column that has no name or one that is there twice,
        or where the text is no CSV.
    """
    reader = csv.reader(io.StringIO(source.text(), newline=""), strict=True)
    rows, lines, faults = list[Row](), list[int](), list[Fault]()
    try:
        names = [name.strip() for name in next(reader, [])]
        _check_names(names, source.name, faults)
        for cells in reader:
            if len(cells) == len(names):
                rows.append(_row(names, cells))
                lines.append(reader.line_num)
            elif cells:
                said = f"the row has {len(cells)} cells, the first line {len(names)}."
                faults.append(Fault(f"{source.name}: line {reader.line_num}", said))
    except csv.Error as error:
        raise refusal(source.name, f"line {reader.line_num}: is no CSV ({error}).") from None
    if faults:
        raise InputFault(faults)
    return rows, lines


def _check_names(names: list[str], name: str, faults: list[Fault]) -> None:
    outer = {column.partition(".")[0] for column in names if "." in column}
    for place, column in enumerate(names):
        if not column:
            faults.append(Fault(f"{name}: line 1", f"column {place + 1} has no name."))
        elif column in names[:place]:
            faults.append(Fault(f"{name}: line 1", f"column {column!r} is there twice."))
        elif column in outer:
            said = f"column {column!r} stands beside {column}.…; name one or the other."
            faults.append(Fault(f"{name}: line 1", said))


def _row(names: list[str], cells: list[str]) -> Row:
    row: Row = {}
    for column, cell in zip(names, cells, strict=True):
        outer, dot, key = column.partition(".")
        value = cell.strip()
        if not value:
            continue
        inner = row.setdefault(outer, {}) if dot else row
        assert isinstance(inner, dict)
        inner[key if dot else outer] = value
    return row
