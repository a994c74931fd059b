"""The right name that a wrong one was probably meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches

_MOST_COMPARED = 20_000
"""Names looked at: comparing takes some 10 us each."""


def did_you_mean(wrong: str, names: Iterable[str]) -> str:
    """Give ``; did you mean 'cycle'?`` or, where nothing is near, a full stop."""
    known = [name for _, name in zip(range(_MOST_COMPARED), names, strict=False)]
    near = get_close_matches(wrong, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else "."
