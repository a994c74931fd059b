"""Distinct rows against a sorted set of tuples."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from models.distinct import distinct, places_of

codes = st.one_of(st.integers(-1, 2), st.sampled_from((2**30 - 1, 2**30, 2**29)))
tables = st.integers(1, 7).flatmap(lambda width: st.lists(st.tuples(*[codes] * width)))
CORNERS = [
    tuple(2**30 - (row >> column & 1) for column in range(5)) for row in (0, 31, 1, 2, 4, 8, 16)
]


@given(tables)
@example([])
@example(CORNERS)
@example([(-1, 1), (0, -1), (-1, -1), (-1, 0)])
def test_rows_are_numbered_as_sorted_tuples_are(table):
    width = len(table[0]) if table else 2
    stacked = np.array(table, dtype=np.int32).reshape(len(table), width)
    numbers, first = distinct(stacked)
    ordered = sorted(set(table))
    assert numbers.tolist() == [ordered.index(row) for row in table]
    assert first.tolist() == [table.index(row) for row in ordered]
    assert (numbers.dtype, first.dtype) == (np.int32, np.int64)


@given(st.lists(st.integers(-1, 4)))
def test_every_value_is_found_where_it_stands(values):
    found = places_of(np.array(values, dtype=np.int64))
    assert list(found) == sorted(set(values))
    for value, rows in found.items():
        assert rows.tolist() == [row for row, other in enumerate(values) if other == value]
