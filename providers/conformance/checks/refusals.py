"""Orders and questions that make no sense."""

import grpc
from grpc import aio

from models.errors import Unsupported
from models.machine import State
from providers.conformance.answers import refused, unchanged
from providers.conformance.ground import Ground
from providers.conformance.pool import take
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.machine import Refusal
from providers.orders import (
    OPERATION_OF,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Order,
)
from providers.v1 import capacity_pb2 as pb

NOBODY = "bigfleet-conformance-no-such-machine"
MALFORMED = pb.Refusal.Name(pb.REFUSAL_MALFORMED)


async def unknown_machine(ground: Ground) -> None:
    """Send orders for a machine that is not listed."""
    orders: list[Order] = [CreateOrder(NOBODY), ConfigureOrder(NOBODY, "c"), DrainOrder(NOBODY, 0)]
    if any(machine.kind.capacity_type.is_elastic for machine in ground.first.values()):
        orders.append(DeleteOrder(NOBODY))
    for order in orders:
        ack = await ground.ask(order)
        what = OPERATION_OF[type(order)]
        refused(ack, Refusal.UNKNOWN_MACHINE, what)
        expect(ack.snapshot is None, f"no snapshot in the answer to {what}", repr(ack.snapshot))


async def unknown_get(ground: Ground) -> None:
    """Ask for a machine that is not listed, beside one that is."""
    known = list(ground.first)[:1]
    found = await ground.caller.patient(lambda: ground.caller.provider.get([NOBODY, *known]))
    names = [machine.id for machine in found.machines]
    expect(list(found.unknown) == [NOBODY], f"{NOBODY!r} in `unknown`", list(found.unknown))
    expect(names == known, f"only {known} in `machines`", names)


async def without_a_sender(ground: Ground) -> None:
    """Send a call whose fence names no shard."""
    request = pb.DrainRequest(orders=[pb.DrainOrder(machine=NOBODY)])
    try:
        await ground.caller.stub.Drain(request, timeout=ground.caller.provider.call_seconds)
    except aio.AioRpcError as error:
        seen = f"{error.code().name}: {error.details()}"
        if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise CannotTell(seen) from None
        is_it = error.code() is grpc.StatusCode.INVALID_ARGUMENT
        expect(is_it, "INVALID_ARGUMENT for a call without fence.shard", seen)
        expect(bool(error.details()), "the status to say which field is wrong", "no text")
        return
    raise Broken("INVALID_ARGUMENT for a call without fence.shard", "it was taken")


async def malformed(ground: Ground) -> None:
    """Send an order without a machine beside one that is whole."""
    request = pb.DrainRequest(
        fence=pb.Fence(shard=ground.caller.shard, epoch=ground.caller.epoch),
        orders=[pb.DrainOrder(), pb.DrainOrder(machine=NOBODY)],
    )
    try:
        response = await ground.caller.stub.Drain(
            request, timeout=ground.caller.provider.call_seconds
        )
    except aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise CannotTell(f"{error.code().name}: {error.details()}") from None
        seen = f"{error.code().name}: {error.details()}"
        raise Broken("an order without a machine to be refused alone", seen) from None
    refusals = [pb.Refusal.Name(ack.error.refusal) for ack in response.acks]
    is_it = len(response.acks) == 2 and refusals[0] == MALFORMED and refusals[1] != MALFORMED
    expect(is_it, f"two answers, and only the first to be {MALFORMED}", refusals)


async def wrong_state(ground: Ground) -> None:
    """Send orders that cannot begin where a machine is."""
    try:
        name = await take(ground, State.CONFIGURED, but=_fixed(ground))
    except CannotTell:
        name = await take(ground, State.CONFIGURED)
    before = await ground.one(name)
    orders: list[Order] = [ground.create(name)]
    if before.kind.capacity_type.is_elastic:
        orders.append(ground.delete(name))
    for order in orders:
        what = f"{OPERATION_OF[type(order)]} of a CONFIGURED machine"
        refused(await ground.ask(order), Refusal.WRONG_STATE, what)
        unchanged(before, await ground.one(name), what)


async def delete_of_fixed(ground: Ground) -> None:
    """Send a Delete for a machine that is paid for anyway."""
    found = await ground.look(_fixed(ground))
    idle = [name for name, seen in found.items() if seen.state is State.IDLE]
    if not idle:
        raise CannotTell("no IDLE bare-metal or reserved machine that the kit may use")
    before = await ground.one(idle[0])
    try:
        ack = await ground.ask(ground.delete(idle[0]))
    except Unsupported:
        pass
    else:
        refused(ack, Refusal.UNSUPPORTED, "Delete")
    after = await ground.one(idle[0])
    expect(after.state is State.IDLE, f"{idle[0]!r} to stay IDLE", after.state)
    expect(after.host == before.host, f"{idle[0]!r} to keep its host", after.host)


def _fixed(ground: Ground) -> list[str]:
    """Give the machines that checks may use and that are paid for anyway: they have no Delete."""
    return [name for name in ground.pool() if not ground.first[name].kind.capacity_type.is_elastic]
