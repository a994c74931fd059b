"""The port over a simulated cloud and a clock."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from models.machine import Operation
from providers.listing import Page
from providers.orders import (
    Ack,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Fence,
)
from providers.port import Found
from providers.simulated.cloud import SimulatedCloud

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class SimulatedProvider:
    """Keeps the port; ``clock`` gives the simulated time, seconds since 1970."""

    cloud: SimulatedCloud
    clock: Clock

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.cloud.name

    async def create(self, fence: Fence, orders: Sequence[CreateOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self.cloud.order(Operation.CREATE, fence, orders, self.clock())

    async def configure(self, fence: Fence, orders: Sequence[ConfigureOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self.cloud.order(Operation.CONFIGURE, fence, orders, self.clock())

    async def drain(self, fence: Fence, orders: Sequence[DrainOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self.cloud.order(Operation.DRAIN, fence, orders, self.clock())

    async def delete(self, fence: Fence, orders: Sequence[DeleteOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self.cloud.order(Operation.DELETE, fence, orders, self.clock())

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return self.cloud.get(machines, self.clock())

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        for page in self.cloud.list(cursor, self.clock(), shard=shard, columnar=columnar):
            yield page
            # A million machines take a second: others are heard meanwhile, and time goes by.
            await asyncio.sleep(0)
            self.cloud.advance(self.clock())
