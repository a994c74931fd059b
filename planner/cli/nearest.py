"""The right name that a wrong one was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_COMPARED = 20_000
"""Names looked at: comparing takes some 10 us each."""

_LIKENESS = 0.5
"""A little below difflib's own 0.6, under which ``v9`` is not near ``v1``."""


def did_you_mean(wrong: str, names: Iterable[str]) -> str:
    """Give ``; did you mean 'cycle'?`` or, where nothing is near, a full stop."""
    known = [name for _, name in zip(range(_MOST_COMPARED), names, strict=False)]
    near = get_close_matches(wrong, known, n=1, cutoff=_LIKENESS)
    return f"; did you mean {near[0]!r}?" if near else "."
