"""The fewest machines to add so that a need is served and its spread stays within the skew."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[Any]
"""Shape ``(V,)``, one entry a value of the label; whole numbers of 64 bits or of any size."""

_SMALL = 2**40
"""Below this a million values add up within 64 bits."""


@dataclass(frozen=True, slots=True)
class Even:
    """One value of a spread's label: what the need has there, and what it could have."""

    value: int
    held: int
    at_hand: int


def even_gap(places: Sequence[Even], lacks: int, skew: int) -> dict[int, int] | None:
    """Give the machines to add at each value, fewest in all; None where no number would do.

    With ``h`` held, ``a`` at hand, ``x`` added and ``y`` taken at each value v:

        min sum x   s.t.   sum y = lacks,   0 <= y <= a + x,
                           y_v > 0  =>  h_v + y_v <= skew + min over w of (h_w + y_w)

    For a lowest level b each value is first brought to b, adding where too little is at hand; the
    rest is taken from what is at hand up to b + skew, then added. The sum is linear in b between
    the levels at which a value begins or ceases to matter, or nothing more is to be added, so the
    least is at one of these.
    """
    if not places:
        return None
    # Counts go up to 2**63 - 1, and their sums beyond.
    kind = np.int64 if lacks < _SMALL else np.object_
    held: Counts = np.array([place.held for place in places], dtype=kind)
    at_hand: Counts = np.array([place.at_hand for place in places], dtype=kind)
    lowest = int(held.min())
    most = _last(lambda level: _risen(held, level) <= lacks, lowest, lowest + lacks)
    room = _last(lambda level: _room(held, skew, level) < lacks, lowest - 1, most) + 1
    turns = {lowest, most, room}
    for level in {*held.tolist(), *(held + at_hand).tolist()}:
        turns |= {level + step - back for step in (0, 1) for back in (0, skew)}
    levels = sorted(level for level in turns if max(lowest, room) <= level <= most)
    rests = [_rest(held, at_hand, lacks, skew, level) for level in levels]
    between = []
    for (low, before), (high, then) in pairwise(zip(levels, rests, strict=True)):
        if (before > 0) != (then > 0):
            # Linear in between, so what is at hand begins or ceases to be enough but once.
            def is_like_low(level: int, is_above: bool = before > 0) -> bool:
                return (_rest(held, at_hand, lacks, skew, level) > 0) == is_above

            last = _last(is_like_low, low, high)
            between += [last, last + 1]
    best: Counts | None = None
    for level in (*levels, *between):
        added = _at_level(held, at_hand, lacks, skew, level)
        if best is None or added.sum() < best.sum():
            best = added
    if best is None:
        return None
    pairs = zip(places, best.tolist(), strict=True)
    return {place.value: int(count) for place, count in pairs if count}


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Give the last of ``low`` to ``high`` for which it holds, as it does up to some point."""
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _risen(held: Counts, level: int) -> int:
    """Give how many machines it takes to bring every value to a level."""
    return int(np.maximum(level - held, 0).sum())


def _room(held: Counts, skew: int, level: int) -> int:
    """Give how many machines could be taken in all at a lowest level."""
    return int(np.maximum(level + skew - held, 0).sum())


def _free(held: Counts, at_hand: Counts, skew: int, level: int) -> Counts:
    """Give what is at hand at each value beyond a level, up to the skew."""
    base = np.maximum(held, level)
    spare: Counts = np.maximum(held + at_hand - base, 0)
    free: Counts = np.minimum(spare, np.maximum(level + skew - base, 0))
    return free


def _rest(held: Counts, at_hand: Counts, lacks: int, skew: int, level: int) -> int:
    """Give what is to be added once every value is at a level and nothing more is at hand."""
    free = int(_free(held, at_hand, skew, level).sum())
    return lacks - _risen(held, level) - free


def _at_level(held: Counts, at_hand: Counts, lacks: int, skew: int, level: int) -> Counts:
    """Give what to add at each value; there is room for all, and the level is within reach."""
    base = np.maximum(held, level)
    added: Counts = np.maximum(base - held - at_hand, 0)
    rest = _rest(held, at_hand, lacks, skew, level)
    if rest > 0:
        room = np.maximum(level + skew - base, 0) - _free(held, at_hand, skew, level)
        added = added + np.clip(rest - (np.cumsum(room) - room), 0, room)
    return added
