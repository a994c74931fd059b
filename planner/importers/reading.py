"""Read the files of other tools: tables and JSON, plain or gzip; whatever is wrong is a fault."""

import gzip
import io
import zlib
from collections.abc import Iterable
from pathlib import Path

from planner.files.json_text import parse_json
from planner.files.source import MAX_INPUT_BYTES, Source, read_source, refusal
from providers.convert import CsvTable, Faults, Row, read_rows

LARGEST_COUNT = 10**15
"""Above any amount of millicores or MiB; ``providers.convert`` refuses larger numbers."""


def read_text(path: Path) -> str:
    """Give a file's text, unpacked when its name ends in ``.gz``.

    Raises
    ------
    InputFault
        When it is not there, not readable, not gzip, not UTF-8 or larger than
        ``MAX_INPUT_BYTES``, packed or not.
    """
    source = read_source(path)
    if path.suffix != ".gz":
        return source.text()
    try:
        with gzip.open(io.BytesIO(source.content)) as packed:
            content = packed.read(MAX_INPUT_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise refusal(source.name, f"is not a whole gzip file ({error}).") from None
    if len(content) > MAX_INPUT_BYTES:
        raise refusal(source.name, f"unpacks to more than {MAX_INPUT_BYTES / 2**30:g} GiB.")
    return Source(source.name, content).text()


def read_table(path: Path) -> CsvTable:
    """Give a CSV file as a table for ``providers``; its rows are read when they are asked for.

    Raises
    ------
    InputFault
        As ``read_text``.
    """
    return CsvTable(str(path), io.StringIO(read_text(path), newline=""))


def read_columns(path: Path, columns: Iterable[str]) -> list[Row]:
    """Give the rows of a CSV file that has at least these columns.

    Raises
    ------
    InputFault
        As ``read_text``, and for a missing column and every row of the wrong length.
    """
    faults = Faults()
    rows = list(read_rows(read_table(path), columns, faults))
    faults.raise_any()
    return rows


def read_json(path: Path) -> object:
    """Give the value of a JSON file.

    Raises
    ------
    InputFault
        As ``read_text``, and as ``planner.files.json_text.parse_json``.
    """
    return parse_json(read_text(path), str(path))


def whole(row: Row, column: str, most: int = LARGEST_COUNT) -> int:
    """Give a cell that holds a whole number from 0 to ``most``; else note it and give 0."""
    number = row.number(column)
    if number != int(number) or number > most:
        row.faults.add(f"{row.path}.{column}", f"{number} is not a whole number up to {most}.")
        return 0
    return int(number)
