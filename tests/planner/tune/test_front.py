"""The Pareto front and its knee, against looking at every pair of points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from planner.tune.front import front_of, knee_of

tables = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, max_side=7),
    elements=st.integers(0, 4).map(float),
)


@given(tables)
def test_the_front_is_what_nobody_beats(vectors):
    def beats(one, other):
        return (one <= other).all() and (one < other).any()

    expected = [not any(beats(other, row) for other in vectors) for row in vectors]
    assert front_of(vectors).tolist() == expected


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 9), st.just(2)), elements=st.integers(0, 30).map(float)
    )
)
def test_of_two_columns_the_knee_is_farthest_from_the_chord(values):
    front = front_of(values)
    knee, rows = knee_of(values, front), np.flatnonzero(front).tolist()
    low, high = values[rows].min(axis=0), values[rows].max(axis=0)
    if (low == high).all():
        assert knee == rows[0]
        return
    # On a front of two columns, what is least in one is largest in the other.
    ends = [
        values[rows][values[rows][:, 0] == low[0]][0],
        values[rows][values[rows][:, 1] == low[1]][0],
    ]
    a, b = ((end - low) / (high - low) for end in ends)

    def below(row):
        p = (values[row] - low) / (high - low)
        return -((b - a)[0] * (p - a)[1] - (b - a)[1] * (p - a)[0]) / np.hypot(*(b - a))

    distances = [below(row) for row in rows]
    if max(distances) < 1e-9:
        assert knee is None
    else:
        assert knee == next(
            r for r, d in zip(rows, distances, strict=True) if d >= max(distances) - 1e-9
        )


def test_what_is_not_on_the_front_is_no_knee():
    values = np.array([[0.0, 4.0], [1.0, 1.0], [4.0, 0.0]])
    assert knee_of(values, np.array([True, True, True])) == 1
    assert knee_of(values, np.array([True, False, True])) is None
    assert knee_of(values, np.zeros(3, dtype=bool)) is None


@given(tables, st.floats(0.1, 1000))
def test_no_unit_moves_the_knee(values, factor):
    front = front_of(values)
    assert knee_of(values * factor, front) == knee_of(values, front)


def test_columns_that_do_not_vary_do_not_count():
    values = np.array([[0.0, 7.0, 4.0], [1.0, 7.0, 1.0], [4.0, 7.0, 0.0]])
    assert knee_of(values, front_of(values)) == 1


@pytest.mark.parametrize("columns", [0, 2])
def test_where_nothing_varies_the_first_point_is_the_knee(columns):
    assert knee_of(np.ones((3, columns)), np.array([False, True, True])) == 1
