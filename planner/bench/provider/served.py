"""A simulated provider in a process of its own, which says what it has used."""

import asyncio
import multiprocessing
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from models.errors import Unreachable
from models.machine import DEFAULT_PROVIDER
from planner.bench.instances import Size, cold_shard
from planner.bench.sample import peak_rss_bytes
from providers.server import serving
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.knobs import knobs_from
from providers.simulated.provider import SimulatedProvider

KNOBS = {"create": "1h"}
"""Nothing changes by itself while we measure."""

END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has used until now."""

    cpu_seconds: float
    peak_rss_bytes: int


@dataclass(frozen=True, slots=True)
class Served:
    """A server on this machine; ``asking`` is the line to its process."""

    address: str
    asking: "Connection[None, Usage]"

    def usage(self) -> Usage:
        """Give what it has used, making its world included."""
        self.asking.send(None)
        return self.asking.recv()


@contextmanager
def served(size: Size) -> Iterator[Served]:
    """Serve the machines of a cold shard while the block runs.

    Raises
    ------
    Unreachable
        When the process ends before it serves, as one for which there is no memory.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, size), daemon=True)
    process.start()
    theirs.close()
    try:
        try:
            port = ours.recv()
        except EOFError:
            raise Unreachable("127.0.0.1", "the server's process ended at once.") from None
        yield Served(f"127.0.0.1:{port}", ours)
    finally:
        # It ends when its line does, and so it would if this process were killed.
        ours.close()
        process.join(END_SECONDS)
        process.kill()


def _serve(line: "Connection[object, None]", size: Size) -> None:
    # A Ctrl-C of the terminal is for the one who measures.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    knobs, now = knobs_from(KNOBS), time.time()
    cloud = SimulatedCloud.of(cold_shard(size), DEFAULT_PROVIDER, knobs, 0, now)
    asyncio.run(_answer(line, SimulatedProvider(cloud, time.time)))


async def _answer(line: "Connection[object, None]", provider: SimulatedProvider) -> None:
    """Serve, and say what was used as often as somebody asks, until the line is closed."""
    ended = asyncio.Event()

    def tell() -> None:
        try:
            line.recv()
            line.send(_usage())
        except (EOFError, OSError):
            loop.remove_reader(line.fileno())
            ended.set()

    async with serving(provider) as port:
        loop = asyncio.get_running_loop()
        loop.add_reader(line.fileno(), tell)
        line.send(port)
        await ended.wait()


def _usage() -> Usage:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Usage(used.ru_utime + used.ru_stime, peak_rss_bytes())
