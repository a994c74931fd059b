"""From columns back to rows, and to the same columns."""

from dataclasses import fields

import numpy as np
from hypothesis import given, settings
from strategies import fleets

from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import State
from models.rows_of_fleet import row_like, rows_of


def columns(fleet: Fleet) -> dict[str, object]:
    tables = (fleet, fleet.machines, fleet.cells, fleet.numbers)
    return {
        f"{type(table).__name__}.{each.name}": getattr(table, each.name)
        for table in tables
        for each in fields(table)
        if each.name not in ("machines", "cells", "numbers", "classes")
    }


def same(left: object, right: object) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")
    return left == right


@settings(max_examples=100, deadline=None)
@given(fleets())
def test_the_rows_of_a_fleet_make_the_same_fleet(rows):
    before = fleet_of(rows)
    after = fleet_of(rows_of(before))
    told = columns(after)
    assert [key for key, value in columns(before).items() if not same(value, told[key])] == []
    assert repr(before.classes) == repr(after.classes)


@settings(max_examples=30, deadline=None)
@given(fleets())
def test_a_row_like_a_cell_is_of_that_cell(rows):
    before = fleet_of(rows)
    for cell in range(len(before.cells)):
        row = row_like(before, cell, "zz-new", before.shards[0].name)
        document = rows_of(before)
        document.machines.append(row)
        after = fleet_of(document)
        [at] = np.flatnonzero(after.machines.ids == "zz-new")
        assert after.machines.cell[at] == cell
        assert after.machines.state[at] == State.IDLE
        assert len(after.cells) == len(before.cells)
