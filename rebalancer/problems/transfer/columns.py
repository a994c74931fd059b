"""Columns of one table: equally long, and read-only from then on."""

from typing import Any

from numpy.typing import NDArray


def freeze_table(*columns: NDArray[Any]) -> None:
    """Make columns read-only; raise ``ValueError`` unless all have one axis of one length."""
    shapes = {column.shape for column in columns}
    if len(shapes) != 1 or len(columns[0].shape) != 1:
        raise ValueError(f"columns have shapes {sorted(shapes)}, expected one length for all.")
    for column in columns:
        column.flags.writeable = False
