"""Many orders, big messages, short deadlines, many callers."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from models.errors import ProviderError, ProviderRefused
from models.machine import State
from providers.client import RemoteProvider
from providers.conformance.answers import NONE_TO_BE_HAD, accepted, refused
from providers.conformance.checks.refusals import NOBODY
from providers.conformance.ground import Ground
from providers.conformance.pool import take, take_many
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.contract.begin import TARGETS
from providers.machine import Refusal
from providers.orders import OPERATION_OF, DrainOrder, Order
from providers.port import MOST_ORDERS, Found

BATCH = 64
CALLERS = 100

HASTY_SECONDS = 0.001
"""Mostly over before the answer is there, sometimes before the order is."""

BIG_BYTES = 5 * 2**20
"""More than gRPC takes unless told to."""


async def batch(ground: Ground) -> None:
    """Send 64 orders in one call, one of them for a machine that is not listed."""
    names, order = await _many(ground)
    orders = [order(names[n % len(names)]) for n in range(BATCH)]
    bad = BATCH // 2
    orders[bad] = order(NOBODY)
    acks = await ground.send(orders)
    what = OPERATION_OF[type(orders[0])]
    for n, ack in enumerate(acks):
        if n == bad:
            refused(ack, Refusal.UNKNOWN_MACHINE, f"the one bad {what} of {BATCH}")
        elif ack.failure is None or ack.failure.failure_class not in NONE_TO_BE_HAD:
            accepted(ack, f"{what} beside a bad one")


async def _many(ground: Ground) -> tuple[list[str], Callable[[str], Order]]:
    """Give machines and an order that they can take: Create, or else a Drain of idle ones."""
    try:
        return await take_many(ground, State.SPECULATIVE, ground.settings.most), ground.create
    except CannotTell:
        return await take_many(ground, State.IDLE, ground.settings.most), ground.drain


async def big_call(ground: Ground) -> None:
    """Send as many orders as a call may have, and a message that may be too big."""
    orders = [DrainOrder(f"{NOBODY}-{n}", 0) for n in range(MOST_ORDERS)]
    await ground.send(orders)
    names = ["x" * (BIG_BYTES // MOST_ORDERS) + str(n) for n in range(MOST_ORDERS)]
    try:
        found = await ground.caller.patient(lambda: ground.caller.provider.get(names))
        _expect_answers(found, len(names))
    except ProviderRefused:
        pass
    except ProviderError as error:
        raise Broken(
            "a message of 5 MiB to be answered, or refused as too big", f"{error}"
        ) from None
    found = await ground.caller.patient(lambda: ground.caller.provider.get([NOBODY]))
    _expect_answers(found, 1)


def _expect_answers(found: Found, count: int) -> None:
    seen = len(found.machines) + len(found.unknown)
    expect(seen == count, f"{count} answers to as many ids", seen)


async def deadline(ground: Ground) -> None:
    """Send an order whose caller does not wait for the answer, and repeat it."""
    name, order = await _beginning(ground)
    what = OPERATION_OF[type(order)]
    running, rests = TARGETS[what]
    fence = ground.caller.fence()
    hasty = RemoteProvider(ground.caller.provider.name, ground.caller.stub, HASTY_SECONDS)
    ground.used.add(name)
    with suppress(ProviderError):
        await replace(ground.caller, provider=hasty).send([order], fence)
    first = await ground.ask(order, fence)
    accepted(first, f"{what} repeated after its deadline")
    again = await ground.ask(order, fence)
    seen = accepted(again, f"{what} repeated after its deadline")
    wanted = f"{what} repeated after a deadline to be one operation, {first.operation!r}"
    expect(again.operation == first.operation or seen.state is not running, wanted, again.operation)
    done = await ground.until(name, rests)
    is_one = done.operation in ("", first.operation)
    expect(is_one, wanted, f"operation {done.operation!r}")


async def _beginning(ground: Ground) -> tuple[str, Order]:
    """Give a machine and an order that begins something on it."""
    try:
        name = await take(ground, State.SPECULATIVE)
        return name, ground.create(name)
    except CannotTell:
        name = await take(ground, State.IDLE)
        return name, ground.configure(name)


async def callers(ground: Ground) -> None:
    """Let a hundred callers order the same at the same time, and a hundred look."""
    name, order = await _beginning(ground)
    what = OPERATION_OF[type(order)]
    fence = ground.caller.fence()
    acks = await asyncio.gather(*(ground.ask(order, fence) for _ in range(CALLERS)))
    for ack in acks:
        accepted(ack, f"{what} of one of {CALLERS} callers")
    operations = {ack.operation for ack in acks if ack.operation}
    wanted = f"one operation for {CALLERS} callers who order the same"
    expect(len(operations) == 1, wanted, f"{len(operations)}: {', '.join(sorted(operations)[:3])}")
    looks = await asyncio.gather(*(ground.look([name]) for _ in range(CALLERS)))
    expect(all(name in look for look in looks), "every caller to be answered", "some were not")
    await ground.until(name, TARGETS[what][1])
