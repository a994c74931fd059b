"""The clock that decorators wait by."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Clock = Callable[[], float]
"""Seconds that never go back; where they begin means nothing."""

Sleep = Callable[[float], Awaitable[None]]


def loop_time() -> float:
    """Give the time of the event loop that runs."""
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class Timing:
    """A clock and how to wait by it: the running event loop's, where nothing else is said.

    Deadlines of calls that hang are the event loop's in any case. A simulated time is therefore
    best an event loop whose time jumps: then all of it agrees.
    """

    clock: Clock = loop_time
    sleep: Sleep = asyncio.sleep
