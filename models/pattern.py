"""Names that stand for many: ``gpu-{}`` and ``rack-{//8}``."""

import re

_HOLE = re.compile(r"\{(?://(\d+))?\}")


def has_hole(text: str) -> bool:
    """Tell whether the text differs from one index to the next."""
    return _HOLE.search(text) is not None


def fill(text: str, index: int) -> str:
    """Put ``index`` into each ``{}`` and ``index // N`` into each ``{//N}``.

    Raises
    ------
    ValueError
        When N is 0.
    """
    return _HOLE.sub(lambda hole: str(_step(index, hole.group(1))), text)


def expand(text: str, count: int) -> list[str]:
    """Give the text for the indices 0 to ``count`` - 1."""
    if not has_hole(text):
        return [text] * count
    return [fill(text, index) for index in range(count)]


def _step(index: int, divisor: str | None) -> int:
    if divisor is None:
        return index
    if int(divisor) == 0:
        raise ValueError(f"cannot divide an index by {divisor}; write {{//N}} with N of at least 1")
    return index // int(divisor)
