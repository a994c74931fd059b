"""Serve a provider over gRPC: its values become messages, its errors statuses."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import grpc

from providers.contract.heard import malformed
from providers.listing import Page
from providers.orders import Ack, Fence, Order
from providers.port import MOST_ORDERS, CapacityProvider
from providers.statuses import Statuses
from providers.transport import Security, listening, new_server
from providers.v1 import capacity_pb2 as pb
from providers.v1 import capacity_pb2_grpc as pb_grpc
from providers.wire import orders as wire
from providers.wire.machines import machine_to_wire
from providers.wire.pages import page_to_wire

SERVICE = pb.DESCRIPTOR.services_by_name["CapacityProvider"].full_name

ROWS_A_PAGE = 1000
"""Machines in a page of rows unless the caller says: about half a megabyte."""

MOST_PAGE_BYTES = 3 * 2**20
"""Of a page of rows: any client of gRPC takes 4 MiB unless it is told otherwise."""

M = TypeVar("M")
O = TypeVar("O", bound=Order)  # noqa: E741
T = TypeVar("T")


@asynccontextmanager
async def serving(
    provider: CapacityProvider, address: str = "127.0.0.1:0", security: Security | None = None
) -> AsyncIterator[int]:
    """Serve a provider while the block runs; yield the port. Errors as of ``listening``."""
    server = new_server([Statuses(SERVICE)])
    servicer = CapacityServicer(provider)
    pb_grpc.add_CapacityProviderServicer_to_server(servicer, server)
    async with listening(server, address, security or Security(), [SERVICE]) as port:
        yield port


@dataclass
class CapacityServicer(pb_grpc.CapacityProviderServicer):
    """Answers the calls of the wire from a provider.

    A lifecycle call that has begun goes on to its end even where the caller has gone: half an
    order would be one that nobody knows of.
    """

    provider: CapacityProvider
    _running: set["asyncio.Task[Any]"] = field(default_factory=set)

    async def Create(self, request: pb.CreateRequest, context: Any) -> pb.TransitionResponse:
        """See ``CapacityProvider``."""
        return await self._ordered(
            request, request.orders, wire.create_from_wire, self.provider.create, context
        )

    async def Configure(self, request: pb.ConfigureRequest, context: Any) -> pb.TransitionResponse:
        """See ``CapacityProvider``."""
        return await self._ordered(
            request, request.orders, wire.configure_from_wire, self.provider.configure, context
        )

    async def Drain(self, request: pb.DrainRequest, context: Any) -> pb.TransitionResponse:
        """See ``CapacityProvider``."""
        return await self._ordered(
            request, request.orders, wire.drain_from_wire, self.provider.drain, context
        )

    async def Delete(self, request: pb.DeleteRequest, context: Any) -> pb.TransitionResponse:
        """See ``CapacityProvider``."""
        return await self._ordered(
            request, request.orders, wire.delete_from_wire, self.provider.delete, context
        )

    async def Get(self, request: pb.GetRequest, context: Any) -> pb.GetResponse:
        """See ``CapacityProvider``."""
        if len(request.machines) > MOST_ORDERS:
            said = f"{len(request.machines)} ids in one call; at most {MOST_ORDERS} are taken."
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, said)
        found = await self.provider.get(list(dict.fromkeys(request.machines)))
        return pb.GetResponse(machines=map(machine_to_wire, found.machines), unknown=found.unknown)

    async def List(self, request: pb.ListRequest, context: Any) -> AsyncIterator[pb.ListPage]:
        """See ``CapacityProvider``."""
        pages = self.provider.list(request.cursor, shard=request.shard, columnar=request.columnar)
        rows = request.page_size or ROWS_A_PAGE
        async for page in pages:
            for part in _parts(page, rows):
                for message in _messages(part):
                    yield message

    async def _ordered(
        self,
        request: pb.CreateRequest | pb.ConfigureRequest | pb.DrainRequest | pb.DeleteRequest,
        messages: Iterable[M],
        read: Callable[[M], O],
        call: Callable[[Fence, Sequence[O]], Coroutine[Any, Any, Sequence[Ack]]],
        context: Any,
    ) -> pb.TransitionResponse:
        if len(request.orders) > MOST_ORDERS:
            said = f"{len(request.orders)} orders in one call; at most {MOST_ORDERS} are taken."
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, said)
        try:
            fence = wire.fence_from_wire(request.fence)
        except ValueError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))
        orders = [read(message) for message in messages]
        faults = [malformed(order) for order in orders]
        whole = [order for order, fault in zip(orders, faults, strict=True) if fault is None]
        answered = await self._finished(call(fence, whole)) if whole else ()
        if len(answered) != len(whole):
            said = f"the provider gave {len(answered)} answers to {len(whole)} orders."
            await context.abort(grpc.StatusCode.INTERNAL, said)
        answers = iter(answered)
        acks = (
            next(answers) if fault is None else Ack(order.machine, failure=fault)
            for order, fault in zip(orders, faults, strict=True)
        )
        return pb.TransitionResponse(acks=map(wire.ack_to_wire, acks))

    async def _finished(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        # The loop itself holds a task only weakly.
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)


def _parts(page: Page, rows: int) -> Iterable[Page]:
    """Give a page in parts of at most so many rows; its end comes with the last."""
    if len(page.machines) <= rows:
        yield page
        return
    last = (len(page.machines) - 1) // rows * rows
    for start in range(0, last, rows):
        yield Page(page.machines[start : start + rows])
    yield Page(page.machines[last:], page.columns, page.gone, page.end)


def _messages(page: Page) -> Iterable[pb.ListPage]:
    """Give a page as one message, or as two halves where that is too long, and so on.

    A machine that is too long by itself, and columns, stay whole.
    """
    message = page_to_wire(page)
    if message.ByteSize() <= MOST_PAGE_BYTES or len(page.machines) + len(page.gone) < 2:
        yield message
        return
    machines, gone = len(page.machines) // 2, (len(page.gone) + 1) // 2
    yield from _messages(Page(page.machines[:machines], gone=page.gone[:gone]))
    yield from _messages(Page(page.machines[machines:], page.columns, page.gone[gone:], page.end))
