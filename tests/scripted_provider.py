"""A provider that answers as it is told, call by call, and remembers what it was asked."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from models.errors import ProviderError, ProviderUnavailable
from models.failure import FailureClass
from providers.calls import AsCalls, Calls
from providers.machine import Failure
from providers.orders import Ack
from providers.timing import loop_time


@dataclass(frozen=True)
class Takes:
    """An answer that comes after so many seconds; None: the call goes through."""

    seconds: float
    answer: Any = None


@dataclass(frozen=True)
class Lost:
    """An answer that gets lost: the call is done, then the error is raised."""

    error: Exception


@dataclass
class Scripted:
    """Wraps one. ``script``: for each call an error to raise, Takes, Lost, a function, or None.

    A function gets the orders and gives the acks. What is beyond the script goes through.
    ``seen`` has the time, the name of each call and what it was about.
    """

    provider: Any
    script: list[Any] = field(default_factory=list)
    seen: list[tuple[float, str, Any]] = field(default_factory=list)
    name: str = "scripted"

    @property
    def inner(self) -> Calls:
        return AsCalls(self.provider)

    async def _step(self, call: str, about: Any) -> Any:
        self.seen.append((loop_time(), call, about))
        step = self.script.pop(0) if self.script else None
        if isinstance(step, Takes):
            await asyncio.sleep(step.seconds)
            step = step.answer
        if isinstance(step, BaseException):
            raise step
        return step

    async def order(self, operation, fence, orders):
        step = await self._step(operation.value, list(orders))
        if isinstance(step, Callable):
            return step(orders)
        acks = await self.inner.order(operation, fence, orders)
        if isinstance(step, Lost):
            raise step.error
        return acks

    async def get(self, machines):
        await self._step("Get", list(machines))
        return await self.inner.get(machines)

    async def list(self, cursor="", *, shard="", columnar=False) -> AsyncIterator:
        await self._step("List", cursor)
        async for page in self.inner.list(cursor, shard=shard, columnar=columnar):
            yield page
            await self._step("page", None)

    @property
    def calls(self):
        return [call for _, call, _ in self.seen]


def refusing(*classes: FailureClass | None) -> Callable:
    """Answer the orders of one call with these classes; None: accepted."""

    def acks(orders):
        return [
            Ack(order.machine, "op", None, failure and Failure(failure, "no"))
            for order, failure in zip(orders, classes, strict=True)
        ]

    return acks


def away(text: str = "away") -> ProviderUnavailable:
    return ProviderUnavailable("scripted", text)


async def pages_of(pages) -> tuple[list, Exception | None]:
    """Give the pages of a List, and the error that broke it."""
    given = []
    try:
        async for page in pages:
            given.append(page)  # noqa: PERF401 - those before the error are wanted.
    except ProviderError as error:
        return given, error
    return given, None


async def read(pages) -> list:
    """Give the machines of a List."""
    return [machine async for page in pages for machine in page.machines]
