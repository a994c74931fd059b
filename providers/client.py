"""A provider somewhere else: the port's calls become messages, statuses its errors."""

from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import grpc
from grpc import aio

from models.errors import (
    ProviderError,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)
from providers.listing import Page
from providers.machine import Machine
from providers.orders import (
    Ack,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Fence,
    Order,
)
from providers.port import MOST_ORDERS, Found
from providers.statuses import PUSHBACK
from providers.transport import Security, new_channel
from providers.v1 import capacity_pb2 as pb
from providers.v1 import capacity_pb2_grpc as pb_grpc
from providers.wire import orders as wire
from providers.wire.machines import machine_from_wire
from providers.wire.pages import page_from_wire

CALL_SECONDS = 10.0
"""Deadline of a lifecycle call or a Get: they return at once."""

LIST_SECONDS = 300.0
"""Deadline of a whole List."""

_REFUSED = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.OUT_OF_RANGE,
    }
)


@asynccontextmanager
async def connected(
    address: str,
    name: str = "",
    security: Security | None = None,
    call_seconds: float = CALL_SECONDS,
    list_seconds: float = LIST_SECONDS,
) -> AsyncIterator["RemoteProvider"]:
    """Give the provider behind an address while the block runs; it connects when it is called.

    Raises
    ------
    InputFault
        As of ``providers.transport.new_channel``.
    """
    async with new_channel(address, security or Security()) as channel:
        stub: pb_grpc.CapacityProviderAsyncStub = pb_grpc.CapacityProviderStub(channel)
        yield RemoteProvider(name or address, stub, call_seconds, list_seconds)


@dataclass(frozen=True, slots=True)
class RemoteProvider:
    """Keeps the port over a channel. Nothing is repeated here: see ``providers.retrying``."""

    name: str
    stub: "pb_grpc.CapacityProviderAsyncStub"
    call_seconds: float = CALL_SECONDS
    list_seconds: float = LIST_SECONDS

    async def create(self, fence: Fence, orders: Sequence[CreateOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        request = pb.CreateRequest(
            fence=wire.fence_to_wire(fence), orders=map(wire.create_to_wire, orders)
        )
        return await self._acks(orders, self.stub.Create(request, timeout=self.call_seconds))

    async def configure(self, fence: Fence, orders: Sequence[ConfigureOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        request = pb.ConfigureRequest(
            fence=wire.fence_to_wire(fence), orders=map(wire.configure_to_wire, orders)
        )
        return await self._acks(orders, self.stub.Configure(request, timeout=self.call_seconds))

    async def drain(self, fence: Fence, orders: Sequence[DrainOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        request = pb.DrainRequest(
            fence=wire.fence_to_wire(fence), orders=map(wire.drain_to_wire, orders)
        )
        return await self._acks(orders, self.stub.Drain(request, timeout=self.call_seconds))

    async def delete(self, fence: Fence, orders: Sequence[DeleteOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        request = pb.DeleteRequest(
            fence=wire.fence_to_wire(fence), orders=map(wire.delete_to_wire, orders)
        )
        return await self._acks(orders, self.stub.Delete(request, timeout=self.call_seconds))

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``; more ids than a call may have are asked for in several."""
        ids = list(dict.fromkeys(machines))
        known: list[Machine] = []
        unknown: list[str] = []
        for start in range(0, len(ids), MOST_ORDERS):
            found = await self._got(ids[start : start + MOST_ORDERS])
            known += found.machines
            unknown += found.unknown
        return Found(tuple(known), tuple(unknown))

    async def _got(self, machines: Sequence[str]) -> Found:
        try:
            response = await self.stub.Get(
                pb.GetRequest(machines=machines), timeout=self.call_seconds
            )
            return Found(tuple(map(machine_from_wire, response.machines)), tuple(response.unknown))
        except aio.AioRpcError as error:
            raise error_of(self.name, error) from None
        except ValueError as error:
            raise _unreadable(self.name, error) from None

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        request = pb.ListRequest(cursor=cursor, shard=shard, columnar=columnar)
        try:
            async for message in self.stub.List(request, timeout=self.list_seconds):
                yield page_from_wire(message)
        except aio.AioRpcError as error:
            raise error_of(self.name, error) from None
        except ValueError as error:
            raise _unreadable(self.name, error) from None

    async def _acks(
        self,
        orders: Sequence[Order],
        call: Awaitable[pb.TransitionResponse],
    ) -> Sequence[Ack]:
        """Wait for the answers, one for each order."""
        try:
            response = await call
            acks = [wire.ack_from_wire(message) for message in response.acks]
        except aio.AioRpcError as error:
            raise error_of(self.name, error) from None
        except ValueError as error:
            raise _unreadable(self.name, error) from None
        if [ack.machine for ack in acks] != [order.machine for order in orders]:
            said = f"{len(acks)} answers to {len(orders)} orders, or to other machines"
            raise _unreadable(self.name, said)
        return acks


def _unreadable(name: str, what: object) -> ProviderUnavailable:
    # The call may have been done: Get tells.
    return ProviderUnavailable(name, f"its answer cannot be read: {what}.")


def error_of(name: str, error: aio.AioRpcError) -> ProviderError:
    """Give the error of the port that a status stands for."""
    code, said = error.code(), error.details() or ""
    text = f"{code.name}: {said}"
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return Unsupported(name, text)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        # gRPC uses this status for its own limits too.
        if "message larger than max" in said:
            # What our own side would not send, or the other not read, has not been done.
            is_asked = said.startswith(("CLIENT: Sent", "SERVER: Received"))
            return (ProviderRefused if is_asked else ProviderUnavailable)(name, text)
        return ProviderThrottled(name, text, _pushback(error.trailing_metadata()))
    return (ProviderRefused if code in _REFUSED else ProviderUnavailable)(name, text)


def _pushback(trailer: Iterable[tuple[str, str | bytes]] | None) -> float:
    """Give the seconds after which the provider wants to be asked again, 0.0 if it says nothing."""
    for key, value in trailer or ():
        if key == PUSHBACK and str(value).isdecimal():
            return int(value) / 1000
    return 0.0
