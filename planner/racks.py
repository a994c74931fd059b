"""Open the files of a provider of bare metal: what stands in the racks, and its hooks."""

from pathlib import Path

from models.errors import InputFault
from planner.files import read_document, read_rows
from planner.files.csv_rows import parse_csv
from planner.files.source import read_source, shown
from providers.metal.hooks import Hooks, hooks_from
from providers.metal.inventory import Inventory, inventory_from, row_of_list


def open_inventory(path: str, *, may_commission: bool) -> Inventory:
    """Read a CSV file, or a list of rows in YAML, JSON or Parquet; see ``inventory_from``.

    Raises
    ------
    InputFault
        With every fault, each with the file, the row (in CSV its line) and the column.
    """
    if Path(path).suffix.lower() == ".csv":
        rows, lines = parse_csv(read_source(path))
        named = {row: f"line {line}" for row, line in enumerate(lines)}.__getitem__
    else:
        rows, named = read_rows(path), row_of_list  # type: ignore[assignment]
    try:
        return inventory_from(rows, named, may_commission=may_commission)
    except InputFault as fault:
        raise fault.within(shown(path)) from None


def open_hooks(path: str) -> Hooks:
    """Read hooks from YAML or JSON; see ``hooks_from``. Errors as of ``open_inventory``."""
    document = read_document(path)
    try:
        return hooks_from(document.body)
    except InputFault as fault:
        raise fault.within(document.path) from None
