"""Rows of machines as Parquet: one row a machine, dotted columns, null for what is left out."""

import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from models.errors import Fault, InputFault
from models.rows import MOST_MACHINES
from planner.files.atomic import replacing
from planner.files.source import Source, refusal, shown

if TYPE_CHECKING:
    import pyarrow as pa

MAX_CELLS = 1_000_000_000
"""Rows times columns; a few bytes of Parquet can claim any number of equal cells."""

_EPOCH = datetime(1970, 1, 1)

Row = dict[str, object]


def parse_parquet(source: Source) -> list[Row]:
    """Give the rows as plain mappings, like those of ``machines`` in a document.

    A column ``labels.a.b/c`` is the key ``a.b/c`` of the row's ``labels``: the first dot splits.
    Times become RFC 3339 text, those without a zone being UTC. A null is left out.

    Raises
    ------
    InputFault
        When pyarrow is missing, the file is corrupt or too large, a column repeats, stands beside
        a dotted one of the same name, or has a type that no field has.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise _without_pyarrow(source.name) from None
    try:
        with parquet.ParquetFile(io.BytesIO(source.content)) as file:
            _check_size(source.name, file.metadata.num_rows, file.metadata.num_columns)
            table = file.read()
        return _rows(table, source.name)
    except (pa.ArrowException, OSError, OverflowError, UnicodeDecodeError) as error:
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise refusal(source.name, f"is not a readable Parquet file: {shown(said)}") from None


def write_parquet(rows: Sequence[Mapping[str, object]], path: str | Path) -> None:
    """Write rows so that ``parse_parquet`` gives them again, without nulls and empty mappings.

    Whole numbers and floats in one column become floats, numbers and text become text: quantities
    mean the same in each. The file is replaced as a whole.

    Raises
    ------
    InputFault
        When pyarrow is missing, the file cannot be written, or a value has no place in a column.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise _without_pyarrow(shown(path)) from None
    faults: list[Fault] = []
    arrays = {}
    for name, values in _columns(rows, shown(path), faults).items():
        try:
            arrays[name] = pa.array(_alike(values))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            faults.append(Fault(f"{shown(path)}: {shown(name)}", "holds what no column can hold."))
    if faults:
        raise InputFault(faults)
    with replacing(path) as file:
        parquet.write_table(pa.table(arrays), file)


def _without_pyarrow(name: str) -> InputFault:
    return refusal(name, "Parquet needs pyarrow: pip install 'bigfleet[parquet]'.")


def _check_size(name: str, rows: int, columns: int) -> None:
    if rows > MOST_MACHINES:
        raise refusal(name, f"has {rows} rows; a fleet has at most {MOST_MACHINES} machines.")
    if rows * columns > MAX_CELLS:
        raise refusal(name, f"has {rows} rows of {columns} columns; at most {MAX_CELLS} cells.")


def _rows(table: "pa.Table", name: str) -> list[Row]:
    """Turn the columns into rows, column by column: no second table of plain values is built."""
    _check_names(table.column_names, name)
    rows: list[Row] = [{} for _ in range(table.num_rows)]
    faults: list[Fault] = []
    for column, values in zip(table.column_names, table.columns, strict=True):
        plain = _plain_values(values)
        if plain is None:
            message = f"{values.type} is no type of a field; write text, numbers or true and false."
            faults.append(Fault(f"{name}: {shown(column)}", message))
            continue
        outer, dot, key = column.partition(".")
        for row, value in zip(rows, plain, strict=True):
            if value is None:
                continue
            if dot:
                inner = row.setdefault(outer, {})
                assert isinstance(inner, dict)
                inner[key] = value
            else:
                row[outer] = value
    if faults:
        raise InputFault(faults)
    return rows


def _check_names(columns: Sequence[str], name: str) -> None:
    outer = {column.partition(".")[0] for column in columns if "." in column}
    seen: set[str] = set()
    faults = []
    for column in columns:
        if column in seen:
            faults.append(Fault(f"{name}: {shown(column)}", "is the name of two columns."))
        elif column in outer:
            message = f"is a column, and so is {column}.KEY; keep the dotted ones."
            faults.append(Fault(f"{name}: {shown(column)}", message))
        seen.add(column)
    if faults:
        raise InputFault(faults)


def _plain_values(column: "pa.ChunkedArray") -> list[object] | None:
    """Give a column's values in Python's own types, or None for a type that no field has."""
    import pyarrow as pa
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
        column = column.cast(kind)
    if types.is_timestamp(kind):
        # Microseconds since 1970 in UTC; Arrow's own formatting needs the system's time zones.
        micros = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        return [None if value is None else _moment(value) for value in micros.to_pylist()]
    if not (
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    ):
        return None
    values: list[object] = column.to_pylist()
    return values


def _moment(micros: int) -> str:
    return (_EPOCH + timedelta(microseconds=micros)).isoformat() + "Z"


def _columns(
    rows: Sequence[Mapping[str, object]], name: str, faults: list[Fault]
) -> dict[str, list[object]]:
    """Spread rows over columns, ``id`` first: it is there even if there are no rows."""
    columns: dict[str, list[object]] = {"id": [None] * len(rows)}
    for r, row in enumerate(rows):
        for column, value in _cells(row):
            if column is None or isinstance(value, Mapping | list | tuple):
                message = "a row of Parquet holds values, and mappings of values, without dots."
                faults.append(Fault(f"{name}: machines[{r}]", message))
            elif value is not None:
                if column not in columns:
                    columns[column] = [None] * len(rows)
                columns[column][r] = value
    return columns


def _cells(row: Mapping[str, object]) -> Iterator[tuple[str | None, object]]:
    """Give column and value of each cell; no column for a key that would be read as two."""
    for key, value in row.items():
        if "." in key:
            yield None, value
        elif isinstance(value, Mapping):
            for inner, part in value.items():
                yield f"{key}.{inner}", part
        else:
            yield key, value


def _alike(values: list[object]) -> list[object]:
    """Give the numbers among texts as text; of other mixtures Arrow makes floats, or nothing."""
    kinds = {str if isinstance(value, str) else type(value) for value in values} - {type(None)}
    if str in kinds and kinds <= {str, int, float}:
        return [
            value if value is None or isinstance(value, str) else repr(value) for value in values
        ]
    return values
