"""Take from whoever holds most, again and again, in one step."""

import numpy as np

from models.fleet import Ints


def from_the_top(count: int, most: Ints, have: Ints, given: Ints) -> Ints:
    """Give how many each shard gives, shape ``(S,)``, so that the fullest ends as low as can be.

    Parameters
    ----------
    count
        How many are taken in all; at most the sum of ``most``.
    most, have
        Shape ``(S,)``. The most that each may give, and what it holds.
    given
        Shape ``(S,)``. What each gave elsewhere: of those that hold the same whoever gave least
        goes first, then the lower number.
    """
    level = _level(count, most, have)
    taken = _above(level, most, have)
    rest = count - int(taken.sum())
    may = np.flatnonzero((have - taken == level) & (taken < most))
    taken[may[np.argsort((given + taken)[may], kind="stable")[:rest]]] += 1
    return taken


def _level(count: int, most: Ints, have: Ints) -> int:
    """Give the lowest level above which no more than ``count`` may be taken."""
    low, high = min(0, int((have - most).min(initial=0))), int(have.max(initial=0))
    while low < high:
        middle = (low + high) // 2
        if int(_above(middle, most, have).sum()) <= count:
            high = middle
        else:
            low = middle + 1
    return low


def _above(level: int, most: Ints, have: Ints) -> Ints:
    return np.asarray(np.clip(have - level, 0, most), dtype=np.int64)
