"""Calls to a provider over gRPC: Creates of 64 machines, changes, and whole Lists in both forms."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, TypeVar

import numpy as np

from models.machine import State
from planner.bench.provider.served import Served, served
from planner.bench.run import Run
from planner.bench.sample import Sample, Timing, measure, measure_each
from providers.client import connected
from providers.listing import Page
from providers.orders import CreateOrder, Fence
from providers.port import MOST_ORDERS, CapacityProvider

BATCH = 64
"""Machines in a Create, as the batcher makes them."""

AT_ONCE = 8

DEADLINE_SECONDS = 3600.0
"""What is slow is to be measured, and not given up."""

_WHOLE_LISTS = 10
"""A whole List is read a tenth as often: as rows it takes seconds."""

T = TypeVar("T")
Batch = list[str]


def provider_samples(run: Run) -> Iterator[Sample]:
    """Measure a simulated provider in another process of this machine, over loopback."""
    run.say(f"provider: serving {run.size.machines} machines")
    with served(run.size) as server, _called(server) as caller:
        machines, spare = _machines(caller.listed("", columnar=True))
        run.say(f"provider: {machines} machines, {len(spare)} to be created, {run.repeat} times")
        changes = min(max(1, round(run.changes * machines)), len(spare))
        batches = _batches(spare[changes:], BATCH)
        some = min(run.repeat, -(-len(batches) // 2))
        yield from _creates(caller, machines, batches[:some], 1)
        # Whole groups only, and as many as there are machines for.
        left = batches[some : some + run.repeat * AT_ONCE]
        yield from _creates(caller, machines, left[: len(left) // AT_ONCE * AT_ONCE], AT_ONCE)

        cursor = caller.cursor()
        for batch in _batches(spare[:changes], MOST_ORDERS):
            caller.create([batch])
        # Columns first: the peak is of the process so far.
        for columnar in (True, False):
            read = partial(caller.read, cursor, columnar=columnar)
            yield caller.listing("changes", machines, read, run.repeat, columnar)
        few = max(1, run.repeat // _WHOLE_LISTS)
        for columnar in (True, False):
            run.say(f"provider: whole List {_form(columnar)}, {few} times")
            read = partial(caller.read, "", columnar=columnar)
            yield caller.listing("List", machines, read, few, columnar)


@dataclass(slots=True)
class _Caller:
    """A client in this process; ``wait`` runs what it asks to its end."""

    server: Served
    provider: CapacityProvider
    wait: Callable[[Coroutine[Any, Any, Any]], Any]
    sequence: Iterator[int] = field(default_factory=lambda: count(1))

    def create(self, batches: Sequence[Batch]) -> None:
        """Create some batches at once, a call for each."""
        self.wait(self._create(batches))

    async def _create(self, batches: Sequence[Batch]) -> None:
        calls = [
            self.provider.create(
                Fence("bench", 1, next(self.sequence)),
                [CreateOrder(machine, 1, "bench/need") for machine in batch],
            )
            for batch in batches
        ]
        for acks in await asyncio.gather(*calls):
            refused = next((ack.failure for ack in acks if ack.failure), None)
            assert refused is None, refused

    def listed(self, cursor: str, *, columnar: bool) -> list[Page]:
        """Read a List."""
        pages: list[Page] = []
        self.wait(self._list(cursor, columnar, pages))
        assert pages[-1].end is not None, "the List is not whole"
        return pages

    async def _list(self, cursor: str, columnar: bool, pages: list[Page]) -> None:
        # Not returned: a runner that lets go of SIGINT has the whole result written as a text,
        # which took half of the time (Python 3.11).
        async for page in self.provider.list(cursor, columnar=columnar):
            pages.append(page)  # noqa: PERF401

    def cursor(self) -> str:
        """Give the cursor of now."""
        end = self.listed("", columnar=True)[-1].end
        return "" if end is None else end.cursor

    def read(self, cursor: str, *, columnar: bool) -> tuple[int, int]:
        """Read a List and hold all of it, as whoever plans would; count machines and pages."""
        pages = self.listed(cursor, columnar=columnar)
        return sum(map(_count, pages)), len(pages)

    def listing(
        self,
        what: str,
        machines: int,
        read: Callable[[], tuple[int, int]],
        repeat: int,
        columnar: bool,
    ) -> Sample:
        """Measure a List."""
        (timing, (seen, pages)), used = self.measured(lambda: measure(read, repeat))
        changes = seen if what == "changes" else None
        found = {"pages": pages, **used}
        return Sample(f"{what} {_form(columnar)}", machines, 0, timing, changes, found=found)

    def measured(
        self, work: Callable[[], tuple[Timing, T]]
    ) -> tuple[tuple[Timing, T], dict[str, float]]:
        """Measure here, and say what the server used in a run."""
        before = self.server.usage()
        timing, result = work()
        after = self.server.usage()
        cpu_seconds = (after.cpu_seconds - before.cpu_seconds) / len(timing.seconds)
        return (timing, result), {
            "server CPU ms": _rounded(cpu_seconds * 1000),
            "server peak MiB": round(after.peak_rss_bytes / 2**20),
        }


@contextmanager
def _called(server: Served) -> Iterator[_Caller]:
    with asyncio.Runner() as runner:
        connection = connected(
            server.address, "bench", call_seconds=DEADLINE_SECONDS, list_seconds=DEADLINE_SECONDS
        )
        provider = runner.run(connection.__aenter__())
        try:
            yield _Caller(server, provider, runner.run)
        finally:
            runner.run(connection.__aexit__(None, None, None))


def _creates(
    caller: _Caller, machines: int, batches: Sequence[Batch], at_once: int
) -> Iterator[Sample]:
    """Measure Creates, so many calls at once in each run; nothing where there is none."""
    groups = [batches[start : start + at_once] for start in range(0, len(batches), at_once)]
    if not groups:
        return
    (timing, _), used = caller.measured(lambda: measure_each(caller.create, groups))
    calls = {"calls a second": _rounded(at_once / timing.median)}
    question = f"creates, {at_once} at once" if at_once > 1 else "creates"
    actions = sum(map(len, groups[-1]))
    yield Sample(question, machines, 0, timing, actions=actions, found=calls | used)


def _machines(pages: Sequence[Page]) -> tuple[int, list[str]]:
    """Count the machines, and name those that can be created."""
    columns = [page.columns for page in pages if page.columns is not None]
    spare = [
        each.ids[place]
        for each in columns
        for place in np.flatnonzero(each.state == State.SPECULATIVE).tolist()
    ]
    return sum(map(len, columns)), spare


def _batches(names: Sequence[str], size: int) -> list[Batch]:
    return [[*names[start : start + size]] for start in range(0, len(names), size)]


def _count(page: Page) -> int:
    return len(page.machines) + (0 if page.columns is None else len(page.columns))


def _form(columnar: bool) -> str:
    return "as columns" if columnar else "as rows"


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")
