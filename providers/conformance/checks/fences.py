"""Whose orders are heard. A Drain of an IDLE machine changes nothing, so it is sent here."""

from models.machine import State
from providers.conformance.answers import accepted, refused
from providers.conformance.ground import NEXT_SHARD, OTHER_SHARD, Ground
from providers.conformance.pool import take
from providers.conformance.verdict import expect
from providers.machine import Refusal
from providers.orders import DrainOrder, Fence

_EARLIER = 10_000_000
"""How far the epoch of another shard may be behind ours."""


async def stale_epoch(ground: Ground) -> None:
    """Send an order under an epoch that is over."""
    name = await take(ground, State.IDLE)
    now = ground.caller.fence()
    accepted(await ground.ask(ground.drain(name), now), "Drain")
    old = Fence(now.shard, now.epoch - 1, now.sequence + 1)
    refused(await ground.ask(ground.drain(name), old), Refusal.STALE, "an order of an old epoch")


async def stale_sequence(ground: Ground) -> None:
    """Send orders for one machine that have overtaken each other, and one twice."""
    name = await take(ground, State.IDLE)
    older, newer = ground.caller.fence(), ground.caller.fence()
    accepted(await ground.ask(ground.drain(name), newer), "Drain")
    what = "an order that a newer one for the same machine has overtaken"
    refused(await ground.ask(ground.drain(name), older), Refusal.STALE, what)
    accepted(await ground.ask(ground.drain(name), newer), "Drain under the same sequence again")


async def sequence_per_machine(ground: Ground) -> None:
    """Send orders for two machines that have overtaken each other."""
    one = await take(ground, State.IDLE)
    other = await take(ground, State.IDLE, but=[one])
    older, newer = ground.caller.fence(), ground.caller.fence()
    accepted(await ground.ask(ground.drain(one), newer), "Drain")
    what = "Drain that one for another machine has overtaken"
    accepted(await ground.ask(ground.drain(other), older), what)


async def stale_version(ground: Ground) -> None:
    """Send an order under an ownership version that is over."""
    name = await take(ground, State.IDLE)
    accepted(await ground.ask(ground.drain(name)), "Drain")
    version = (await ground.one(name)).ownership_version
    ack = await ground.ask(DrainOrder(name, 0, version + 1))
    accepted(ack, "an order under a newer ownership version of its owner")
    what = "an order under an old ownership version"
    refused(await ground.ask(DrainOrder(name, 0, version)), Refusal.STALE, what)
    seen = (await ground.one(name)).ownership_version
    expect(seen == version + 1, f"ownership version {version + 1}", seen)


async def other_owner(ground: Ground) -> None:
    """Send an order of another shard under the version of the owner."""
    name = await take(ground, State.IDLE)
    accepted(await ground.ask(ground.drain(name)), "Drain")
    order = DrainOrder(name, 0, (await ground.one(name)).ownership_version)
    what = "an order of another shard than the owner"
    now = ground.caller.fence()
    theirs = Fence(OTHER_SHARD, now.epoch, now.sequence)
    refused(await ground.ask(order, theirs), Refusal.NOT_OWNER, what)
    seen = (await ground.one(name)).shard
    expect(seen == ground.caller.shard, f"the owner to stay {ground.caller.shard!r}", repr(seen))


async def new_owner(ground: Ground) -> None:
    """Let another shard own a machine, and take it back."""
    name = await take(ground, State.IDLE)
    accepted(await ground.ask(ground.drain(name)), "Drain")
    old = ground.drain(name)
    theirs = DrainOrder(name, 0, old.ownership_version + 1)
    what = "an order under a newer version of another shard, whose epoch is its own,"
    now = ground.caller.fence()
    fence = Fence(NEXT_SHARD, now.epoch - _EARLIER, now.sequence)
    accepted(await ground.ask(theirs, fence), what)
    seen = await ground.one(name)
    owner = (seen.shard, seen.ownership_version)
    wanted = (NEXT_SHARD, theirs.ownership_version)
    expect(owner == wanted, f"owner and version {wanted}", owner)
    what = "an order of the owner before, under its old version,"
    refused(await ground.ask(old), Refusal.STALE, what)
    accepted(await ground.ask(ground.drain(name)), "an order under a still newer version")
