"""Wait for the signal that ends a service."""

import asyncio
import signal

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def told_to_end() -> None:
    """Return at the first SIGTERM or SIGINT; the next one ends the process as it always would."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()
    for each in _SIGNALS:
        loop.add_signal_handler(each, told.set)
    try:
        await told.wait()
    finally:
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
