"""Tell of something now and then, however often it happens."""

from collections.abc import Callable
from typing import TypeVar

Told = TypeVar("Told")


def paced(
    say: Callable[[Told], None],
    clock: Callable[[], float],
    seconds: float,
    last: float | None = None,
) -> Callable[[Told], None]:
    """Give ``say``, but silent until ``seconds`` after it ``last`` spoke; None: it never did."""

    def hear(told: Told) -> None:
        nonlocal last
        if last is None or clock() - last >= seconds:
            last = clock()
            say(told)

    return hear
