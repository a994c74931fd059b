"""Which weights matter, against comparing all pairs of trials."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.tune.matters import dominates_from, idle


@st.composite
def sweeps(draw):
    """Draw trials of up to three weights, often a whole grid, with few different results."""
    width = draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 3)) for _ in range(width)]
    points = np.stack([axis.ravel() for axis in np.indices(sizes)], axis=1).astype(float)
    if draw(st.booleans()):
        points = points[: draw(st.integers(1, len(points)))]
    columns = draw(st.lists(st.integers(0, width - 1), max_size=2))
    results = points[:, columns] if draw(st.booleans()) else np.zeros((len(points), 1))
    noise = draw(st.lists(st.integers(0, 1), min_size=len(points), max_size=len(points)))
    if draw(st.booleans()):
        results = np.hstack([results, np.array(noise, dtype=float)[:, None]])
    return points, results


@given(sweeps())
def test_a_weight_is_idle_where_all_that_differ_in_it_alone_agree(sweep):
    weights, results = sweep
    for w, found in enumerate(idle(weights, results).tolist()):
        pairs = [
            (results[a] == results[b]).all()
            for a in range(len(weights))
            for b in range(a)
            if (np.delete(weights[a], w) == np.delete(weights[b], w)).all()
        ]
        assert found == (bool(pairs) and all(pairs))


@given(sweeps())
def test_a_weight_dominates_from_where_on_no_other_changes_anything(sweep):
    weights, results = sweep
    for w, found in enumerate(dominates_from(weights, results)):
        column = weights[:, w]

        def agree(value, column=column):
            rows = results[column == value]
            return (rows == rows[0]).all()

        compared = sorted({v for v in column.tolist() if (column == v).sum() > 1})
        good = [v for v in compared if all(agree(u) for u in compared if u >= v)]
        expected = None if not good or len(good) == len(compared) else min(good)
        assert found == expected


def test_examples():
    weights = np.array([[a, b] for a in (1.0, 2.0, 3.0) for b in (1.0, 2.0)])
    # Below 2 the second weight decides, from 2 on the first one does.
    results = np.array([[1.0], [2.0], [3.0], [3.0], [4.0], [4.0]])
    assert dominates_from(weights, results) == [2.0, None]
    assert idle(weights, results).tolist() == [False, False]
    assert idle(weights, weights[:, :1]).tolist() == [False, True]
    assert dominates_from(weights, weights[:, :1]) == [None, None]
