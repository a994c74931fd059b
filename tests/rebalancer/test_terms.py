"""How far a line reaches, against all counts there are."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rebalancer.terms import Line


@given(
    st.integers(-5, 5),
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), max_size=4),
)
def test_a_line_reaches_from_its_least_value_to_its_largest(offset, lanes):
    slopes = np.array([slope for slope, _ in lanes], dtype=np.int64)
    most = np.array([count for _, count in lanes], dtype=np.int64)
    line = Line(offset, np.arange(len(lanes)), slopes)
    every = product(*(range(count + 1) for _, count in lanes))
    values = [line.value(np.array(counts, dtype=np.int64)) for counts in every]
    assert line.range(most) == (min(values), max(values))
