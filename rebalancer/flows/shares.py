"""Dealing whole numbers out: in proportion, in order, and between two sides."""

from collections.abc import Iterator, Sequence

import numpy as np

from models.fleet import Ints


def in_proportion(total: Ints, part: Ints, weight: Ints) -> Ints:
    """Deal ``total``, ``(A,)``, out over rows, ``(R,)``, by weight; give each row's share.

    ``part`` is the total that each row has a share in; weights of a part sum up to at least its
    total, and no share is beyond its weight. By largest remainder, ties to the first row.
    """
    weights = np.bincount(part, weight, len(total)).astype(np.int64)
    share, rest = np.divmod(total[part] * weight, np.maximum(weights[part], 1))
    missing = total - np.bincount(part, share, len(total)).astype(np.int64)
    order = np.lexsort((-rest, part))
    in_part = part[order]
    rank = np.arange(len(order)) - np.searchsorted(in_part, in_part)
    share[order] += rank < missing[in_part]
    return share


def in_order(total: Ints, part: Ints, weight: Ints) -> Ints:
    """Deal ``total``, ``(A,)``, out over rows, ``(R,)``: each takes its weight until none is left.

    ``part``, ascending, is the total that each row takes from.
    """
    before = np.cumsum(weight) - weight
    first = np.searchsorted(part, part)
    taken: Ints = np.clip(total[part] - (before - before[first]), 0, weight)
    return taken


def meeting(left: Ints, right: Ints) -> tuple[Ints, Ints, Ints]:
    """Let two sides of the same sum meet in their order: rows of both, and how many meet.

    This is the north-west corner rule, at once for all rows: an amount ends wherever one of the
    sides does.
    """
    ends_left, ends_right = np.cumsum(left), np.cumsum(right)
    ends = np.union1d(ends_left, ends_right)
    ends = ends[ends > 0]
    count = np.diff(ends, prepend=0)
    return np.searchsorted(ends_left, ends), np.searchsorted(ends_right, ends), count


def dealt(
    left: Sequence[tuple[int, int]], right: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, int]]:
    """Let named amounts meet as ``meeting`` does: give (left, right, how many meet).

    Both sides are (name, amount) in their order, with equal sums.
    """
    amounts = (np.array([amount for _, amount in side], dtype=np.int64) for side in (left, right))
    for i, j, count in zip(*(column.tolist() for column in meeting(*amounts)), strict=True):
        yield left[i][0], right[j][0], count
