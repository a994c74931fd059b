"""The port with its four lifecycle calls as one, so that a decorator says once what it does."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from models.errors import ProviderUnavailable
from models.machine import Operation
from providers.listing import Page, Pages
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence, Order
from providers.port import CapacityProvider, Found


class Calls(Protocol):
    """What ``CapacityProvider`` promises, errors and all; decorators keep it and wrap one."""

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """Make the lifecycle call of an operation; all orders are of its type."""

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""

    def list(self, cursor: str = "", *, shard: str = "", columnar: bool = False) -> Pages:
        """See ``CapacityProvider``."""


@dataclass(frozen=True, slots=True)
class AsCalls:
    """A provider, called by operation."""

    provider: CapacityProvider

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.provider.name

    async def order(
        self, operation: Operation, fence: Fence, orders: Sequence[Order]
    ) -> Sequence[Ack]:
        """See ``Calls``."""
        calls: dict[Operation, Any] = {
            Operation.CREATE: self.provider.create,
            Operation.CONFIGURE: self.provider.configure,
            Operation.DRAIN: self.provider.drain,
            Operation.DELETE: self.provider.delete,
        }
        acks: Sequence[Ack] = await calls[operation](fence, orders)
        return acks

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self.provider.get(machines)

    def list(self, cursor: str = "", *, shard: str = "", columnar: bool = False) -> Pages:
        """See ``CapacityProvider``."""
        return self.provider.list(cursor, shard=shard, columnar=columnar)


@dataclass(frozen=True, slots=True)
class AsProvider:
    """Calls by operation, as a provider."""

    calls: Calls

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.calls.name

    async def create(self, fence: Fence, orders: Sequence[CreateOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return await self.calls.order(Operation.CREATE, fence, orders)

    async def configure(self, fence: Fence, orders: Sequence[ConfigureOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return await self.calls.order(Operation.CONFIGURE, fence, orders)

    async def drain(self, fence: Fence, orders: Sequence[DrainOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return await self.calls.order(Operation.DRAIN, fence, orders)

    async def delete(self, fence: Fence, orders: Sequence[DeleteOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return await self.calls.order(Operation.DELETE, fence, orders)

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self.calls.get(machines)

    def list(self, cursor: str = "", *, shard: str = "", columnar: bool = False) -> Pages:
        """See ``CapacityProvider``."""
        return self.calls.list(cursor, shard=shard, columnar=columnar)


@asynccontextmanager
async def reading(pages: Pages) -> AsyncIterator[AsyncIterator[Page]]:
    """Read a List, and let go of it at the end of the block, however that comes."""
    try:
        yield pages
    finally:
        if isinstance(pages, AsyncGenerator):
            await pages.aclose()


def checked(name: str, orders: Sequence[Order], acks: Sequence[Ack]) -> Sequence[Ack]:
    """Give the answers if there is one for each order.

    Raises
    ------
    ProviderUnavailable
        When there is not: nobody knows which order was done.
    """
    if len(acks) != len(orders):
        raise ProviderUnavailable(name, f"{len(acks)} answers to {len(orders)} orders.")
    return acks
