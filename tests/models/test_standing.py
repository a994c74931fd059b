"""Standings check the length of their columns and are then read-only."""

from dataclasses import replace

import numpy as np
import pytest
from builders import fleet, machine, need

from models.standing import Standing

MACHINE_COLUMNS = ("serves", "free", "excess", "victim")
NEED_COLUMNS = ("have", "waiting", "short")


def standing() -> Standing:
    """Give two machines, three needs."""
    columns = fleet().machines(machine("m")).machines(machine("n"))
    columns.needs(need("a/x"), need("a/y"), need("a/z"))
    mask, counts = np.zeros(2, dtype=np.bool_), np.zeros(3, dtype=np.int64)
    serves = np.full(2, -1, dtype=np.int32)
    forecast = np.zeros((1, 1), dtype=np.int64)
    return Standing(
        columns.build(),
        serves,
        mask,
        mask.copy(),
        mask.copy(),
        counts,
        counts,
        counts,
        forecast,
        (),
    )


@pytest.mark.parametrize("name", [*MACHINE_COLUMNS, *NEED_COLUMNS])
@pytest.mark.parametrize("rows", [0, 1, 4])
def test_a_column_of_another_length_is_refused(name, rows):
    column = np.zeros(rows, dtype=np.int64)
    expected = 2 if name in MACHINE_COLUMNS else 3
    with pytest.raises(ValueError, match=rf"^{name} has shape \({rows},\), expected \({expected},"):
        replace(standing(), **{name: column})


def test_a_forecast_is_by_shard_and_class():
    with pytest.raises(ValueError, match=r"^forecast has shape \(2, 1\), expected \(1, 1\)"):
        replace(standing(), forecast=np.zeros((2, 1), dtype=np.int64))


@pytest.mark.parametrize("name", [*MACHINE_COLUMNS, *NEED_COLUMNS, "forecast"])
def test_a_column_cannot_be_changed(name):
    column = getattr(standing(), name)
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 0
