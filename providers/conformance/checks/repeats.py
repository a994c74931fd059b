"""Orders that come again, and again with something else in them."""

from models.machine import State
from providers.conformance.answers import accepted, refused, unchanged
from providers.conformance.ground import RESERVATION, Ground
from providers.conformance.pool import take
from providers.conformance.verdict import CannotTell, expect
from providers.contract.begin import TARGETS
from providers.machine import Machine, Refusal
from providers.orders import OPERATION_OF, Order


async def create(ground: Ground) -> None:
    """Repeat a Create: same fence, newer sequence, newer epoch, and when it is done."""
    name = await take(ground, State.SPECULATIVE)
    await _repeat(ground, ground.create(name))


async def configure(ground: Ground) -> None:
    """Repeat a Configure: same fence, newer sequence, newer epoch, and when it is done."""
    name = await take(ground, State.IDLE)
    await _repeat(ground, ground.configure(name))


async def drain(ground: Ground) -> None:
    """Repeat a Drain: same fence, newer sequence, newer epoch, and when it is done."""
    name = await take(ground, State.CONFIGURED)
    await _repeat(ground, ground.drain(name))


async def delete(ground: Ground) -> None:
    """Repeat a Delete: same fence, newer sequence, newer epoch, and when it is done."""
    machines = ground.first.values()
    fixed = [each.id for each in machines if not each.kind.capacity_type.is_elastic]
    slot = await take(ground, State.SPECULATIVE, but=fixed)
    accepted(await ground.ask(ground.create(slot)), "Create")
    await ground.until(slot, State.IDLE)
    await _repeat(ground, ground.delete(slot))


async def _repeat(ground: Ground, order: Order) -> None:
    """Send an order under the same fence, a newer one, a newer epoch, and when it is done."""
    what = OPERATION_OF[type(order)]
    running, rests = TARGETS[what]
    fence = ground.caller.fence()
    first = await ground.ask(order, fence)
    accepted(first, what)
    operation = first.operation
    expect(bool(operation), f"the answer to {what} to name its operation", "none")

    def expect_same(seen: Machine, said: str, which: str) -> None:
        if seen.state is running:
            wanted = f"a {what} repeated {which} to answer with operation {operation!r}"
            expect(said == operation, wanted, repr(said))
        wanted = f"a {what} repeated {which} to find {running.name} or {rests.name}"
        expect(seen.state in (running, rests), wanted, seen.state)

    again = await ground.ask(order, fence)
    expect_same(accepted(again, f"a repeated {what}"), again.operation, "under the same fence")
    newer = await ground.ask(order)
    expect_same(accepted(newer, f"a repeated {what}"), newer.operation, "under a newer sequence")
    ground.caller.epoch += 1
    back = await ground.ask(order)
    expect_same(accepted(back, f"a repeated {what}"), back.operation, "under a newer epoch")

    done = await ground.until(order.machine, rests)
    late = accepted(await ground.ask(order), f"a repeated {what}")
    expect(late.state is rests, f"a {what} that is done to be left as it is", late.state)
    after = await ground.one(order.machine)
    for name in ("state", "host", "operation"):
        was, now = getattr(done, name), getattr(after, name)
        expect(was == now, f"a {what} repeated when it is done to leave {name} {was!r}", repr(now))
    is_one = after.operation in ("", operation)
    expect(is_one, f"one {what}, operation {operation!r}", f"operation {after.operation!r}")


async def create_conflict(ground: Ground) -> None:
    """Repeat a running Create for another need."""
    name = await take(ground, State.SPECULATIVE)
    first = accepted(await ground.ask(ground.create(name)), "Create")
    ack = await ground.ask(ground.create(name, f"{RESERVATION}-other"))
    if ack.failure is None and ack.snapshot is not None and ack.snapshot.state is State.IDLE:
        raise CannotTell("the Create was over before it could be repeated with something else")
    refused(ack, Refusal.CONFLICT, "a Create that runs already, for another need,")
    was, now = first.reservation, (await ground.one(name)).reservation
    expect(was == now, f"the reservation to stay {was!r}", repr(now))


async def configure_conflict(ground: Ground) -> None:
    """Configure a machine for one cluster that is configured for another."""
    name = await take(ground, State.CONFIGURED)
    before = await ground.one(name)
    other = f"{ground.settings.cluster}-other"
    what = "Configure of a CONFIGURED machine for another cluster"
    refused(await ground.ask(ground.configure(name, other)), Refusal.CONFLICT, what)
    unchanged(before, await ground.one(name), what)
