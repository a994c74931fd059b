"""The fewest machines to add so that a need is served and its spread stays within the skew."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


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
    the levels at which a value begins or ceases to matter, so the least is at one of these.
    """
    if not places:
        return None
    lowest = min(place.held for place in places)
    most = _highest(places, lacks, lowest)
    turns = {lowest, most}
    for place in places:
        for level in (place.held, place.held + place.at_hand):
            turns |= {level + step - back for step in (0, 1) for back in (0, skew)}
    turns |= {_least_room(places, lacks, skew, lowest, most)}
    levels = sorted(level for level in turns if lowest <= level <= most)
    best: tuple[int, Mapping[int, int]] | None = None
    for level in levels:
        added = _at_level(places, lacks, skew, level)
        if added is not None and (best is None or sum(added.values()) < best[0]):
            best = (sum(added.values()), added)
    return None if best is None else {value: n for value, n in best[1].items() if n}


def _highest(places: Sequence[Even], lacks: int, lowest: int) -> int:
    """Give the highest lowest level that ``lacks`` machines can reach."""
    low, high = lowest, lowest + lacks
    while low < high:
        middle = (low + high + 1) // 2
        if sum(max(0, middle - place.held) for place in places) <= lacks:
            low = middle
        else:
            high = middle - 1
    return low


def _room(places: Sequence[Even], skew: int, level: int) -> int:
    """Give how many machines could be taken in all at a lowest level."""
    return sum(max(0, level + skew - place.held) for place in places)


def _least_room(places: Sequence[Even], lacks: int, skew: int, low: int, high: int) -> int:
    """Give the lowest level at which there is room for all."""
    while low < high:
        middle = (low + high) // 2
        if _room(places, skew, middle) >= lacks:
            high = middle
        else:
            low = middle + 1
    return low


def _at_level(places: Sequence[Even], lacks: int, skew: int, level: int) -> dict[int, int] | None:
    added, rest = {}, lacks
    for place in places:
        rise = max(0, level - place.held)
        added[place.value] = max(0, rise - place.at_hand)
        rest -= rise
    if rest < 0 or _room(places, skew, level) < lacks:
        return None
    for place in places:
        base = max(place.held, level)
        spare = max(0, place.held + place.at_hand - base)
        rest -= min(rest, spare, max(0, level + skew - base))
    for place in places:
        base = max(place.held, level)
        top = max(base, min(level + skew, max(base, place.held + place.at_hand)))
        more = min(rest, max(0, level + skew - top))
        added[place.value] += more
        rest -= more
    return added if rest == 0 else None
