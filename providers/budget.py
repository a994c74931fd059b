"""Spend no more calls and machines a second than an account may."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from models.errors import ProviderThrottled
from models.failure import FailureClass
from models.machine import Operation
from providers.bucket import UNLIMITED, Bucket, Limit
from providers.calls import Calls, checked, reading
from providers.listing import Page
from providers.machine import Failure
from providers.orders import Ack, Fence, Order
from providers.port import Found
from providers.timing import Timing


@dataclass(frozen=True, slots=True)
class Limits:
    """What an account may do in a region.

    Attributes
    ----------
    calls, machines
        Lifecycle calls of any kind together; machines of each operation by itself, as clouds
        count them (EC2 has one bucket for RunInstances, another for TerminateInstances).
    reads
        Gets and Lists.
    wait_seconds
        How long a call may wait for what it needs before it is refused.
    """

    calls: Limit = UNLIMITED
    machines: Limit = UNLIMITED
    reads: Limit = UNLIMITED
    wait_seconds: float = 30.0


@dataclass(slots=True)
class Queue:
    """A bucket, and those that wait for it: first come, first served.

    Whoever is first in line waits for all it wants, or for a full bucket, or until its time is
    over, and then takes what is there. Nobody behind takes anything before.
    """

    bucket: Bucket
    timing: Timing
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def take(self, count: int, until: float) -> int:
        """Take up to ``count`` tokens by a time; 0: there was none, or the line was too long."""
        clock = self.timing.clock
        try:
            async with asyncio.timeout(until - clock()):
                await self.lock.acquire()
        except TimeoutError:
            return 0
        try:
            wait = min(self.bucket.wait(count, clock()), until - clock())
            if wait > 0:
                await self.timing.sleep(wait)
            return self.bucket.take(count, clock())
        finally:
            self.lock.release()


class Budget:
    """The buckets of one account in one region: all providers that spend from it share one."""

    def __init__(self, limits: Limits, timing: Timing | None = None) -> None:
        self.limits = limits
        self.timing = timing or Timing()

        def queue(limit: Limit) -> Queue:
            return Queue(Bucket(limit), self.timing)

        self.calls, self.reads = queue(limits.calls), queue(limits.reads)
        self.machines = {operation: queue(limits.machines) for operation in _OPERATIONS}


_OPERATIONS = (Operation.CREATE, Operation.CONFIGURE, Operation.DRAIN, Operation.DELETE)


@dataclass(frozen=True, slots=True)
class Budgeted:
    """Waits for its turn, or refuses with ``ProviderThrottled``: then nothing was done.

    Of a batch as many machines go as there are tokens for when its turn has come, in their order;
    the others are answered THROTTLED, each by itself. So one call to the provider stays one call,
    and none is held longer than ``wait_seconds``. Machines are taken first, the call last: a
    Create that waits for machines does not hold up a Drain.
    """

    inner: Calls
    budget: Budget

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
        until = self._until()
        machines = self.budget.machines[operation]
        fit = await machines.take(len(orders), until)
        if not fit:
            raise self._throttled("machines", machines)
        is_sent = False
        try:
            if not await self.budget.calls.take(1, until):
                raise self._throttled("calls", self.budget.calls)
            is_sent = True
            acks = await self.inner.order(operation, fence, orders[:fit])
        finally:
            if not is_sent:
                machines.bucket.give_back(fit)
        late = [_late(order) for order in orders[fit:]]
        return [*checked(self.name, orders[:fit], acks), *late]

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        await self._read()
        return await self.inner.get(machines)

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        await self._read()
        async with reading(self.inner.list(cursor, shard=shard, columnar=columnar)) as pages:
            async for page in pages:
                yield page

    async def _read(self) -> None:
        if not await self.budget.reads.take(1, self._until()):
            raise self._throttled("reads", self.budget.reads)

    def _until(self) -> float:
        return self.budget.timing.clock() + self.budget.limits.wait_seconds

    def _throttled(self, what: str, queue: Queue) -> ProviderThrottled:
        limit = queue.bucket.limit
        said = f"{limit.per_second:g} {what} a second are allowed, {limit.burst:g} at once."
        return ProviderThrottled(self.name, said, queue.bucket.wait(1, self.budget.timing.clock()))


def _late(order: Order) -> Ack:
    said = f"no more machines a second are allowed; {order.machine!r} was not sent."
    return Ack(order.machine, failure=Failure(FailureClass.THROTTLED, said))
