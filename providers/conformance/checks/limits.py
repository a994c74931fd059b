"""Questions and texts beyond what a call may have, and messages that nobody can read."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import grpc
from grpc import aio

from models.errors import ProviderRefused
from models.machine import State
from providers.client import error_of
from providers.conformance.answers import accepted, refused
from providers.conformance.caller import Caller
from providers.conformance.checks.refusals import NOBODY
from providers.conformance.ground import Ground
from providers.conformance.listed import messages
from providers.conformance.pool import take_many
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.machine import Refusal
from providers.port import MOST_ORDERS
from providers.server import SERVICE
from providers.v1 import capacity_pb2 as pb

REPEATS = 20 * MOST_ORDERS
"""Of one id: answered each time they are some 5 MB."""

TEXT_BYTES = 3 * 2**20
"""Two of them do not fit in one page."""

PAGE_BYTES = 4 * 2**20
"""What gRPC takes of a message unless it is told otherwise."""

MOST_UINT32 = 2**32 - 1

UNREADABLE = {
    "that ends within a field": b"\x0a\x7f",
    "with a text that is not UTF-8": b"\x0a\x02\xff\xfe",
}
"""Field 1 of a GetRequest, an id."""


async def big_get(ground: Ground) -> None:
    """Ask for 1000 ids, one of them twice; for one more; and for one id 20,000 times."""
    known = [*list(ground.first)[:1], NOBODY]
    names = [*known, *(f"{NOBODY}-{n}" for n in range(MOST_ORDERS - len(known)))]
    twice = [*names[:-1], names[0]]
    await _expect_each_once(ground.caller, twice, is_refusable=False)
    await _expect_each_once(ground.caller, [*names, f"{NOBODY}-more"], is_refusable=True)
    await _expect_each_once(ground.caller, [known[0]] * REPEATS, is_refusable=True)


async def _expect_each_once(caller: Caller, names: Sequence[str], *, is_refusable: bool) -> None:
    """Expect one answer to each different id, or INVALID_ARGUMENT to the call."""
    try:
        found = await caller.patient(partial(_got, caller, names))
    except ProviderRefused as error:
        is_it = is_refusable and grpc.StatusCode.INVALID_ARGUMENT.name in error.message
        expect(is_it, f"a Get of {len(names)} ids to be answered", error.message)
        return
    told = [*(machine.id for machine in found.machines), *found.unknown]
    wanted = f"one answer to each of {len(set(names))} different ids, in a Get of {len(names)}"
    expect(sorted(told) == sorted(set(names)), wanted, f"{len(told)} answers")


async def _got(caller: Caller, names: Sequence[str]) -> pb.GetResponse:
    """Ask in one call, however many there are."""
    try:
        return await caller.stub.Get(
            pb.GetRequest(machines=names), timeout=caller.provider.call_seconds
        )
    except aio.AioRpcError as error:
        raise error_of(caller.provider.name, error) from None


async def long_texts(ground: Ground) -> None:
    """Drain IDLE machines with a reservation of 3 MiB each, and look how long pages are."""
    names = await take_many(ground, State.IDLE, 2)
    text = "x" * TEXT_BYTES
    what = f"Drain with a reservation of {TEXT_BYTES} bytes"
    kept: list[str] = []
    try:
        for name in names:
            try:
                ack = await ground.ask(ground.drain(name, reservation=text))
            except ProviderRefused:
                continue
            if ack.failure is not None:
                refused(ack, Refusal.MALFORMED, what)
                continue
            kept.append(name)
            size = len(accepted(ack, what).reservation)
            expect(size == TEXT_BYTES, f"{what} to be refused, or kept whole", f"{size} bytes")
        for page_size in (0, MOST_UINT32):
            request = pb.ListRequest(page_size=page_size)
            for page in await ground.caller.patient(partial(messages, ground.caller, request)):
                seen = page.ByteSize()
                expect(seen < PAGE_BYTES, f"a page of less than {PAGE_BYTES} bytes", seen)
    finally:
        if kept:
            await ground.send([ground.drain(name) for name in kept])


async def unreadable(ground: Ground) -> None:
    """Send a Get that ends within a field, and one with a text that is not UTF-8."""
    call: Any = ground.caller.channel.unary_unary(f"/{SERVICE}/Get")
    for what, message in UNREADABLE.items():
        try:
            await call(message, timeout=ground.caller.provider.call_seconds)
        except aio.AioRpcError as error:
            seen = f"{error.code().name}: {error.details()}"
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise CannotTell(seen) from None
            if error.code() is grpc.StatusCode.INTERNAL:
                said = "its gRPC answers by itself, before the provider hears of it"
                raise CannotTell(f"{said}: {seen}") from None
            is_it = error.code() is grpc.StatusCode.INVALID_ARGUMENT
            expect(is_it, f"INVALID_ARGUMENT to a message {what}", seen)
        else:
            raise Broken(f"INVALID_ARGUMENT to a message {what}", "it was taken")
