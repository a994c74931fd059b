"""A machine's life, step by step, and what is listed of it."""

from models.machine import TRANSITIONS, Operation, State
from providers.conformance.answers import accepted
from providers.conformance.checks.inventory import expect_bindings
from providers.conformance.ground import RESERVATION, Ground, shown
from providers.conformance.pool import take
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.machine import Machine
from providers.orders import OPERATION_OF, Order

_TELLING = 16
"""Characters of a line that is not there by chance."""


async def life(ground: Ground) -> None:
    """Let a machine go through its life and look at every state in between."""
    try:
        name = await take(ground, State.SPECULATIVE)
    except CannotTell:
        name = await take(ground, State.IDLE)
    else:
        await _go(ground, ground.create(name))
    await _go(ground, ground.configure(name))
    await _go(ground, ground.drain(name))
    is_elastic = ground.first[name].kind.capacity_type.is_elastic
    if ground.first[name].state is State.SPECULATIVE and is_elastic:
        await _go(ground, ground.delete(name))


async def _go(ground: Ground, order: Order) -> None:
    """Send an order, and expect only the states that its row of the table has, in their order."""
    what = OPERATION_OF[type(order)]
    before = await ground.one(order.machine)
    [row] = [each for each in TRANSITIONS if each.source is before.state and each.operation is what]
    path = [row.source, row.via, row.to]
    seen = [accepted(await ground.ask(order), what)]
    _expect_next(path, before, seen[-1], what)
    async for now in ground.watch(order.machine):
        _expect_next(path, seen[-1], now, what)
        seen.append(now)
        if now.state is row.to:
            return
        if now.state is State.FAILED:
            break
    wanted = f"{what} to lead to {row.to.name if row.to is not None else 'nothing'}"
    raise Broken(wanted, shown(seen[-1], ground.settings.seconds))


def _expect_next(path: list[State | None], before: Machine, now: Machine, what: Operation) -> None:
    """Expect a state that may follow; FAILED may follow what runs, one unknown is what runs."""
    expect_bindings(now)
    was = path[1] if before.state is None else before.state
    state = path[1] if now.state is None else now.state
    if state is State.FAILED:
        return
    names = " -> ".join(each.name for each in path if each is not None)
    seen = f"{_name(was)} -> {_name(state)}"
    expect(state in path, f"{what} to go {names}", seen)
    is_back = was in path and path.index(state) < path.index(was)
    expect(not is_back, f"{what} to go {names}", seen)


def _name(state: State | None) -> str:
    return "nothing" if state is None else state.name


async def revision(ground: Ground) -> None:
    """Compare the revisions of a machine as it changes."""
    name = await take(ground, State.IDLE)
    before = await ground.one(name)
    accepted(await ground.ask(ground.configure(name)), "Configure")
    after = await ground.until(name, State.CONFIGURED)
    seen = f"{before.revision}, then {after.revision}"
    expect(after.revision > before.revision, "the revision to rise as a machine changes", seen)


async def tags(ground: Ground) -> None:
    """Look for owner, ownership version, cluster and reservation where they are listed."""
    name = await take(ground, State.IDLE)
    order = ground.configure(name, reservation=f"{RESERVATION}-{ground.caller.epoch}")
    wanted = {
        "shard": ground.caller.shard,
        "ownership_version": order.ownership_version,
        "reservation": order.reservation,
        "cluster": order.cluster,
    }
    _expect_tags(accepted(await ground.ask(order), "Configure"), wanted, "the answer")
    _expect_tags(await ground.until(name, State.CONFIGURED), wanted, "Get")
    row = (await ground.listed()).by_id.get(name)
    expect(row is not None, f"{name!r} in the List", "it is missing")
    if row is not None:
        _expect_tags(row, wanted, "List")


def _expect_tags(machine: Machine, wanted: dict[str, object], where: str) -> None:
    for name, value in wanted.items():
        seen = getattr(machine, name)
        expect(seen == value, f"{name} {value!r} of {machine.id!r} in {where}", repr(seen))


async def secret(ground: Ground) -> None:
    """Look for the bootstrap blob in what the provider tells."""
    lines = ground.settings.user_data.decode("utf-8", "replace").splitlines()
    secrets = [line for line in lines if len(line) >= _TELLING]
    if not secrets:
        raise CannotTell("no line of the user data is long enough to be told from chance")
    name = await take(ground, State.IDLE)
    accepted(await ground.ask(ground.configure(name)), "Configure")
    for machine in (*(await ground.listed()).machines, await ground.one(name)):
        told = "\n".join(_texts(machine))
        is_told = any(secret in told for secret in secrets)
        expect(not is_told, "the bootstrap blob in no answer", f"it is told of {machine.id!r}")


def _texts(machine: Machine) -> list[str]:
    """Give all texts that a provider is free in."""
    failure = machine.last_failure
    free = (
        machine.reservation,
        machine.host,
        machine.operation,
        failure.message if failure else "",
    )
    return [*free, *machine.labels, *machine.labels.values()]
