"""The Pareto front of trials, and its knee."""

import numpy as np

from models.fleet import Mask, Reals

FLAT = 1e-9
"""A point that is no farther from the chord than this, of a box of size 1, is no knee."""


def front_of(vectors: Reals) -> Mask:
    """Mark the rows, ``(T,)``, that no other is as good as in every column and better in one.

    ``vectors`` has shape ``(T, K)``, smaller is better. Equal rows are marked alike.
    """
    rows, row_of = np.unique(vectors, axis=0, return_inverse=True)
    is_front = np.ones(len(rows), dtype=np.bool_)
    for r, row in enumerate(rows):
        # Rows are distinct: another that is nowhere larger is smaller somewhere.
        beaten = (rows <= row).all(axis=1)
        beaten[r] = False
        is_front[r] = not beaten.any()
    mask: Mask = is_front[row_of.reshape(-1)]
    return mask


def knee_of(values: Reals, front: Mask) -> int | None:
    """Give the row at the knee of the front, the first of equal ones; None where there is none.

    ``values`` has shape ``(T, K)``: the columns that are traded, smaller is better. Each is scaled
    to what it takes on the front, 0 the best and 1 the worst. The knee is the point farthest below
    the plane through the unit points, for two columns the chord between the ends of the front; so
    its scaled values have the smallest sum. (I. Das, On characterizing the "knee" of the Pareto
    curve based on normal-boundary intersection, Structural Optimization 18, 1999; V. Satopaa et
    al., Finding a "kneedle" in a haystack, ICDCS workshops 2011.) Where all points are equal the
    first is the knee; where none is below the plane there is none.
    """
    rows = np.flatnonzero(front)
    if not len(rows):
        return None
    low, high = values[rows].min(axis=0), values[rows].max(axis=0)
    varies = high > low
    if not varies.any():
        return int(rows[0])
    sums = ((values[rows][:, varies] - low[varies]) / (high - low)[varies]).sum(axis=1)
    # The first of those that differ by noise only.
    best = int(np.flatnonzero(sums <= sums.min() + FLAT)[0])
    return int(rows[best]) if sums[best] < 1 - FLAT else None
