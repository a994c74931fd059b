"""An event loop whose time jumps to the next timer: hours of waiting in milliseconds."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.DefaultSelector):
    """Never waits: what would be waited for is added to the time."""

    passed = 0.0

    def select(self, timeout=None):
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("everybody waits, and no timer will ever end it.")
            self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop for what uses no sockets and no threads."""

    def __init__(self, start: float = 0.0) -> None:
        self._jumping = _Selector()
        self._jumping.passed = start
        super().__init__(self._jumping)

    def time(self) -> float:
        """Give the seconds that have passed, none of which were waited for."""
        return self._jumping.passed


def run(work: Coroutine[Any, Any, T], start: float = 0.0) -> T:
    """Run to the end on a time of its own."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(work)
