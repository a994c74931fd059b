"""Merge lifecycle calls that come at about the same time into one."""

import asyncio
from collections.abc import Coroutine, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from models.errors import ProviderError
from models.machine import Operation
from providers.calls import Calls, checked
from providers.listing import Pages
from providers.orders import Ack, Fence, Order
from providers.port import MOST_ORDERS, Found
from providers.timing import Timing

Key = tuple[Operation, Fence]


@dataclass(eq=False, slots=True)
class _Part:
    """One caller's orders, and where it waits for their answers."""

    orders: Sequence[Order]
    answer: "asyncio.Future[Sequence[Ack]]"


@dataclass(eq=False, slots=True)
class _Batch:
    """What has come so far for one call; it is sent when the window ends or it is full."""

    parts: list[_Part] = field(default_factory=list)
    full: asyncio.Event = field(default_factory=asyncio.Event)

    def __len__(self) -> int:
        return sum(len(part.orders) for part in self.parts)


@dataclass(eq=False, slots=True)
class Batching:
    """Merges calls of one operation under one fence.

    The wire has one sequence for a call, and a provider remembers it for each machine. Under the
    larger of two sequences a later order between them would be refused as STALE; under the smaller
    one an order that is too old would be heard. So calls whose sequences differ are never merged:
    a shard that wants its calls merged gives all orders of one cycle one sequence.

    No call waits longer than the window, and none has more than MOST_ORDERS orders unless a caller
    sent so many at once. A caller's orders stay together. One that gives up before the call is
    sent takes its orders along; a call that was sent goes on for the others. What goes wrong with
    it goes wrong for each caller. Gets and Lists pass as they are.
    """

    inner: Calls
    window_seconds: float = 0.05
    timing: Timing = field(default_factory=Timing)
    _open: dict[Key, _Batch] = field(default_factory=dict)
    _running: set["asyncio.Task[None]"] = field(default_factory=set)

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.inner.name

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """See ``Calls``."""
        if not orders:
            return ()
        key = (operation, fence)
        batch = self._open.get(key)
        if batch is not None and len(batch) + len(orders) > MOST_ORDERS:
            self._close(key, batch)
            batch = None
        if batch is None:
            batch = self._open[key] = _Batch()
            self._run(self._sent(key, batch))
        part = _Part(tuple(orders), asyncio.get_running_loop().create_future())
        batch.parts.append(part)
        if len(batch) >= MOST_ORDERS:
            self._close(key, batch)
        return await part.answer

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self.inner.get(machines)

    def list(self, cursor: str = "", *, shard: str = "", columnar: bool = False) -> Pages:
        """See ``CapacityProvider``."""
        return self.inner.list(cursor, shard=shard, columnar=columnar)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        # The loop itself holds a task only weakly.
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _close(self, key: Key, batch: _Batch) -> None:
        """Take no more orders into a batch."""
        if self._open.get(key) is batch:
            del self._open[key]
        batch.full.set()

    async def _sent(self, key: Key, batch: _Batch) -> None:
        """Wait for the window's end, send what has come, and tell each caller its own."""
        await _first(batch.full.wait(), self.timing.sleep(self.window_seconds))
        self._close(key, batch)
        parts = [part for part in batch.parts if not part.answer.done()]
        orders = [order for part in parts for order in part.orders]
        if not orders:
            return
        try:
            acks = checked(self.name, orders, await self.inner.order(*key, orders))
        except BaseException as error:
            for part in parts:
                _fail(part.answer, error)
            if not isinstance(error, Exception):
                raise
            return
        at = 0
        for part in parts:
            if not part.answer.done():
                part.answer.set_result(acks[at : at + len(part.orders)])
            at += len(part.orders)


def _fail(answer: "asyncio.Future[Sequence[Ack]]", error: BaseException) -> None:
    if answer.done():
        return
    if isinstance(error, asyncio.CancelledError):
        answer.cancel()
    else:
        # One error raised in two tasks would mix up where each came from.
        answer.set_exception(copy(error) if isinstance(error, ProviderError) else error)


async def _first(*works: Any) -> None:
    """Wait until one of them is over, and give up the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
