"""A whole List, read to its end."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from grpc import aio

from providers.client import error_of
from providers.columns import machines_of
from providers.conformance.caller import Caller
from providers.conformance.verdict import Broken, expect
from providers.listing import ListEnd
from providers.machine import Machine
from providers.v1 import capacity_pb2 as pb
from providers.wire.pages import page_from_wire


@dataclass(slots=True)
class Listed:
    """What a List told.

    Attributes
    ----------
    machines
        In the order in which they came; ``by_id`` has the last of those that came twice.
    sizes
        Rows of each page.
    has_columns
        Whether any page came as columns.
    """

    end: ListEnd
    machines: list[Machine] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    has_columns: bool = False
    by_id: dict[str, Machine] = field(default_factory=dict)


async def listed(
    caller: Caller,
    cursor: str = "",
    *,
    shard: str = "",
    page_size: int = 0,
    columnar: bool = False,
) -> Listed:
    """Read a List; ``Broken`` where it has no end, or goes on after it, or cannot be read."""
    request = pb.ListRequest(cursor=cursor, shard=shard, page_size=page_size, columnar=columnar)

    async def read() -> Sequence[pb.ListPage]:
        return await messages(caller, request)

    told = Listed(ListEnd("", False))
    end: ListEnd | None = None
    for message in await caller.patient(read):
        expect(end is None, "the page with `end` to be the last", "a page after it")
        try:
            page = page_from_wire(message)
        except ValueError as error:
            raise Broken("a page that can be read", str(error)) from None
        told.sizes.append(len(page.machines))
        told.machines += page.machines
        if page.columns is not None:
            told.has_columns = True
            told.machines += machines_of(page.columns)
        told.gone += page.gone
        end = page.end
    if end is None:
        raise Broken("`end` in the last page", "a stream that ended without it")
    told.end = end
    told.by_id = {machine.id: machine for machine in told.machines}
    return told


async def messages(caller: Caller, request: pb.ListRequest) -> list[pb.ListPage]:
    """Give the pages as they came. Errors as of the port."""
    try:
        stream = caller.stub.List(request, timeout=caller.provider.list_seconds)
        return [page async for page in stream]
    except aio.AioRpcError as error:
        raise error_of(caller.provider.name, error) from None
