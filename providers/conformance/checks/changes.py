"""Lists while machines change, and of what has changed."""

from models.machine import State
from providers.conformance.answers import NONE_TO_BE_HAD, accepted
from providers.conformance.caller import turns
from providers.conformance.checks.inventory import expect_full, expect_none_missing
from providers.conformance.ground import OTHER_SHARD, Ground
from providers.conformance.listed import Listed
from providers.conformance.pool import take, take_many
from providers.conformance.settings import SHARD
from providers.conformance.verdict import CannotTell, expect
from providers.machine import Machine
from providers.orders import DrainOrder, Fence


async def changes(ground: Ground) -> None:
    """Ask what has changed since a cursor, step by step and twice."""
    name = await take(ground, State.IDLE)
    cursor = (await ground.listed()).end.cursor
    accepted(await ground.ask(ground.configure(name)), "Configure")
    done = await ground.until(name, State.CONFIGURED)
    told = await ground.listed(cursor)
    _expect_change(told, done)
    _expect_change(await ground.listed(cursor), done)
    accepted(await ground.ask(ground.drain(name)), "Drain")
    done = await ground.until(name, State.IDLE)
    _expect_change(await ground.listed(told.end.cursor), done)
    _expect_change(await ground.listed(cursor), done)


def _expect_change(told: Listed, machine: Machine) -> None:
    expect(bool(told.end.cursor), "a cursor in the end of a List of changes", "none")
    seen = told.by_id.get(machine.id)
    wanted = f"the change of {machine.id!r} in the List of changes"
    expect(seen is not None, wanted, f"{len(told.machines)} machines, and not this one")
    if seen is not None:
        is_now = seen.revision >= machine.revision
        expect(is_now, f"{wanted}, at revision {machine.revision}", f"revision {seen.revision}")
    expect(machine.id not in told.gone, f"{machine.id!r} not to be gone", "it is in `gone`")


async def moved(ground: Ground) -> None:
    """Let another shard take a machine, and ask for the changes of the owner before."""
    name = await take(ground, State.IDLE)
    accepted(await ground.ask(ground.drain(name)), "Drain")
    cursor = (await ground.listed(shard=SHARD)).end.cursor
    version = (await ground.one(name)).ownership_version + 1
    now = ground.caller.fence()
    theirs = Fence(OTHER_SHARD, now.epoch, now.sequence)
    what = "an order under a newer version of another shard"
    accepted(await ground.ask(DrainOrder(name, 0, version), theirs), what)
    taken = await ground.one(name)
    told = await ground.listed(cursor, shard=SHARD)
    # A full List tells by leaving it out.
    if not told.end.is_full:
        _expect_change(told, taken)
    accepted(await ground.ask(ground.drain(name)), "an order under a still newer version")


async def while_changing(ground: Ground) -> None:
    """Read Lists while machines are made real, or configured."""
    try:
        names, rests = await take_many(ground, State.SPECULATIVE, ground.settings.most), State.IDLE
    except CannotTell:
        names, rests = await take_many(ground, State.IDLE, ground.settings.most), State.CONFIGURED
    cursor = (await ground.listed()).end.cursor
    begun = await _begun(ground, names, rests)
    now: dict[str, Machine] = {}
    async for _ in turns(ground.settings.seconds):
        told = await ground.listed(page_size=ground.page_size)
        expect_full(told)
        await expect_none_missing(ground, set(ground.first), told)
        now = await ground.look(begun)
        if all(machine.state in (rests, State.FAILED) for machine in now.values()):
            break
    else:
        raise CannotTell(f"not all were {rests.name} after {ground.settings.seconds:g} s")
    told = await ground.listed(cursor)
    for machine in now.values():
        _expect_change(told, machine)


async def _begun(ground: Ground, names: list[str], rests: State) -> list[str]:
    """Begin what leads to a state; give the machines for which the order was taken."""
    order = ground.create if rests is State.IDLE else ground.configure
    acks = await ground.send([order(name) for name in names])
    for ack in acks:
        if ack.failure is None or ack.failure.failure_class not in NONE_TO_BE_HAD:
            accepted(ack, "an order")
    begun = [ack.machine for ack in acks if ack.failure is None]
    if not begun:
        raise CannotTell("none of the orders was taken")
    return begun
