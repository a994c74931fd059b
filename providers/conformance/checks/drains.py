"""A Drain whose grace is changed while it runs."""

from models.machine import State
from providers.conformance.answers import accepted
from providers.conformance.ground import Ground
from providers.conformance.pool import take
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.machine import Machine
from providers.orders import Ack

_LONG_SECONDS = 24 * 3600
_SHORT_SECONDS = 1
_SLACK_SECONDS = 5.0


async def shorter(ground: Ground) -> None:
    """Shorten the grace of a Drain that runs."""
    name, first = await _draining(ground, _LONG_SECONDS)
    ack = await ground.ask(ground.drain(name, 0))
    await _expect_same(ack, first, "shorter")
    try:
        await ground.until(name, State.IDLE)
    except Broken as broken:
        wanted = "a Drain whose grace is shortened to 0 s to end"
        raise Broken(wanted, broken.seen) from None


async def longer(ground: Ground) -> None:
    """Lengthen the grace of a Drain that runs, which must change nothing."""
    name, first = await _draining(ground, _SHORT_SECONDS)
    ack = await ground.ask(ground.drain(name, _LONG_SECONDS))
    after = await _expect_same(ack, first, "longer")
    was, now = first.estimated_ready, after.estimated_ready
    if was is not None and now is not None:
        seen = f"{now - was:g} s later"
        expect(now <= was + _SLACK_SECONDS, "a longer grace to leave estimated_ready alone", seen)
    try:
        await ground.until(name, State.IDLE)
    except Broken as broken:
        raise Broken("a Drain to end with its first, shorter grace", broken.seen) from None


async def _draining(ground: Ground, grace_seconds: int) -> tuple[str, Machine]:
    name = await take(ground, State.CONFIGURED)
    return name, accepted(await ground.ask(ground.drain(name, grace_seconds)), "Drain")


async def _expect_same(ack: Ack, first: Machine, which: str) -> Machine:
    """Expect the answer of the Drain that runs; ``CannotTell`` where it is over already."""
    after = accepted(ack, f"a Drain with a {which} grace")
    if after.state is not State.DRAINING:
        raise CannotTell(f"the Drain was over before its grace could be made {which}")
    wanted = f"a {which} grace to go on with operation {first.operation!r}"
    expect(ack.operation == first.operation, wanted, repr(ack.operation))
    return after
