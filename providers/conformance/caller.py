"""Send orders as a shard does: fenced, and patient with a provider that is busy."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from grpc import aio

from models.errors import ProviderThrottled
from models.failure import FailureClass
from providers.calls import AsCalls
from providers.client import RemoteProvider
from providers.conformance.settings import SHARD
from providers.conformance.verdict import CannotTell
from providers.orders import OPERATION_OF, Ack, Fence, Order
from providers.v1 import capacity_pb2_grpc as pb_grpc

T = TypeVar("T")

FIRST_PAUSE_SECONDS = 0.02
MOST_PAUSE_SECONDS = 1.0


async def turns(seconds: float) -> AsyncIterator[None]:
    """Yield again and again for so long, and once after it; short pauses first, as simulated
    providers are quick.
    """
    clock = asyncio.get_running_loop().time
    until, pause = clock() + seconds, FIRST_PAUSE_SECONDS
    while True:
        yield
        if clock() > until:
            return
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, MOST_PAUSE_SECONDS)


@dataclass(slots=True)
class Caller:
    """One shard over one channel.

    Attributes
    ----------
    stub
        For calls that the client would not make.
    seconds
        How long it is patient with a provider that is busy.
    """

    provider: RemoteProvider
    channel: aio.Channel
    stub: "pb_grpc.CapacityProviderAsyncStub"
    epoch: int
    seconds: float
    shard: str = SHARD
    sequence: int = 0
    running: "set[asyncio.Task[Sequence[Ack]]]" = field(default_factory=set)

    def fence(self) -> Fence:
        """Give the fence of the next order."""
        self.sequence += 1
        return Fence(self.shard, self.epoch, self.sequence)

    async def send(self, orders: Sequence[Order], fence: Fence | None = None) -> list[Ack]:
        """Give the answers to orders of one kind; those that are throttled are sent again."""
        fence = fence or self.fence()
        acks: list[Ack | None] = [None] * len(orders)
        left = list(range(len(orders)))
        async for _ in turns(self.seconds):
            sent = await self.patient(partial(self._whole, fence, [orders[n] for n in left]))
            for n, ack in zip(left, sent, strict=True):
                acks[n] = ack
            left = [n for n in left if _is_throttled(acks[n])]
            if not left:
                break
        return [ack for ack in acks if ack is not None]

    async def patient(self, call: Callable[[], Awaitable[T]]) -> T:
        """Give what a call answers; one that is throttled is made again."""
        said = ""
        async for _ in turns(self.seconds):
            try:
                return await call()
            except ProviderThrottled as error:
                said = str(error)
                await asyncio.sleep(error.retry_seconds)
        raise CannotTell(f"throttled for {self.seconds:g} s: {said}")

    async def settled(self) -> None:
        """Wait for the answers to calls that nobody waits for any more."""
        await asyncio.gather(*self.running, return_exceptions=True)

    async def _whole(self, fence: Fence, orders: Sequence[Order]) -> Sequence[Ack]:
        """Call; the call goes on where the kit is interrupted, lest its order come afterwards."""
        operation = OPERATION_OF[type(orders[0])]
        task = asyncio.ensure_future(AsCalls(self.provider).order(operation, fence, orders))
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return await asyncio.shield(task)


def _is_throttled(ack: Ack | None) -> bool:
    return (
        ack is not None
        and ack.failure is not None
        and ack.failure.failure_class is FailureClass.THROTTLED
    )
