"""Distinct rows of bytes against a look at every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from models.distinct import distinct_rows


@given(st.integers(0, 8).flatmap(lambda n: arrays(np.uint8, (n, 3), elements=st.integers(0, 2))))
def test_rows_are_numbered_in_the_order_of_their_bytes(rows):
    first, number = distinct_rows(rows)
    texts = [bytes(row.tolist()) for row in rows]
    ordered = sorted(set(texts))
    assert number.tolist() == [ordered.index(text) for text in texts]
    assert first.tolist() == [texts.index(text) for text in ordered]


def test_rows_without_columns_are_all_alike():
    first, number = distinct_rows(np.empty((3, 0), dtype=np.uint8))
    assert (first.tolist(), number.tolist()) == ([0], [0, 0, 0])
