"""The signals that end a service."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def ending() -> Iterator[asyncio.Event]:
    """Give an event that the first SIGTERM or SIGINT sets, from the beginning of the block on.

    The next one ends the process as it always would.
    """
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def first() -> None:
        told.set()
        heed_no_more()

    def heed_no_more() -> None:
        for each in _SIGNALS:
            loop.remove_signal_handler(each)

    for each in _SIGNALS:
        loop.add_signal_handler(each, first)
    try:
        yield told
    finally:
        heed_no_more()


async def told_to_end() -> None:
    """Return at the first SIGTERM or SIGINT after this is called; see ``ending``."""
    with ending() as told:
        await told.wait()
