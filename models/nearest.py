"""The right name that a wrong one was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nlargest

_MOST_COMPARED = 2_000
"""Names compared in full, at some 10 us each: of more, those that begin most like the wrong one."""

_LOOKED_AT = 60
"""Characters of the wrong name: one that is much longer is like none anyway."""

_LIKENESS = 0.5
"""A little below difflib's own 0.6, under which ``v9`` is not near ``v1``."""


def nearest_name(wrong: str, names: Iterable[str]) -> str | None:
    """Give the name most like the wrong one; None where nothing is near."""
    begin = wrong[:_LOOKED_AT]
    likely = nlargest(_MOST_COMPARED, names, key=lambda name: _common_start(begin, name))
    near = get_close_matches(begin, likely, n=1, cutoff=_LIKENESS)
    return near[0] if near else None


def did_you_mean(wrong: str, names: Iterable[str]) -> str:
    """Give the end of a sentence: ``; did you mean 'cycle'?`` or, where nothing is near, a stop."""
    near = nearest_name(wrong, names)
    return f"; did you mean {near!r}?" if near is not None else "."


def _common_start(one: str, other: str) -> int:
    """Count the letters that two names begin with alike."""
    for count, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return count
    return min(len(one), len(other))
