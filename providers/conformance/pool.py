"""Bring machines of the pool to the state that a check begins with, and back at the end."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable

from models.errors import ProviderError, Unsupported
from models.failure import FailureClass
from models.machine import State
from providers.conformance.caller import FIRST_PAUSE_SECONDS, MOST_PAUSE_SECONDS
from providers.conformance.ground import Ground, shown
from providers.conformance.verdict import Broken, CannotTell
from providers.machine import Failure, Machine, Refusal
from providers.orders import Ack, Order

_LINE = (State.SPECULATIVE, State.IDLE, State.CONFIGURED)
"""Where a machine may rest; each step takes one operation."""

_MOST_ORDERS = 6
"""For one machine on its way: enough for a repair and both steps."""


async def take(ground: Ground, state: State, but: Collection[str] = ()) -> str:
    """Give a machine that is in a state; ``CannotTell`` where none can be brought there."""
    return (await take_many(ground, state, 1, but))[0]


async def take_many(
    ground: Ground, state: State, most: int, but: Collection[str] = ()
) -> list[str]:
    """Give up to so many machines that are in a state, at least one; the nearest ones."""
    names = [name for name in ground.pool() if name not in but]
    if not ground.first:
        raise CannotTell(ground.why_none)
    found = await ground.look(names)
    reachable = [name for name in names if can_reach(ground.first[name], found[name], state)]
    reachable.sort(key=lambda name: _steps(found[name].state, state))
    ready: list[str] = []
    reasons: dict[str, str] = {}
    while reachable and len(ready) < most:
        some, reachable = reachable[: most - len(ready)], reachable[most - len(ready) :]
        stuck = await bring(ground, dict.fromkeys(some, state))
        ready += [name for name in some if name not in stuck]
        reasons |= stuck
    ground.aside.update(reasons)
    if not ready:
        raise CannotTell(_why(state, reasons or ground.aside))
    return ready


def _why(state: State, reasons: dict[str, str]) -> str:
    if not reasons:
        return f"no machine that the kit may use can be {state.name}"
    name, reason = next(iter(reasons.items()))
    return f"no machine can be brought to {state.name}; {name!r}: {reason}"


def can_reach(first: Machine, now: Machine, state: State) -> bool:
    """Tell whether the kit may bring a machine to a state: it gives back only what it took."""
    if state is not State.SPECULATIVE or now.state is State.SPECULATIVE:
        return True
    return first.state is State.SPECULATIVE and first.kind.capacity_type.is_elastic


def _steps(state: State | None, wanted: State) -> int:
    if state not in _LINE:
        return len(_LINE)
    return abs(_LINE.index(state) - _LINE.index(wanted))


async def bring(ground: Ground, wanted: dict[str, State], *, heals: bool = False) -> dict[str, str]:
    """Order and wait until machines are where they are wanted; give those that are not, and why.

    ``heals``: one that has FAILED is repaired, as far as the contract has an operation for it.
    """
    clock = asyncio.get_running_loop().time
    stuck: dict[str, str] = {}
    left = dict(wanted)
    orders_sent: dict[str, int] = defaultdict(int)
    states: dict[str, State | None] = {}
    pause, until = FIRST_PAUSE_SECONDS, clock() + ground.settings.seconds
    while left:
        found = await ground.look(left)
        now = {name: machine.state for name, machine in found.items()}
        if now != states:
            states, pause, until = now, FIRST_PAUSE_SECONDS, clock() + ground.settings.seconds
        orders: list[Order] = []
        for name, machine in found.items():
            if machine.state is left[name]:
                del left[name]
                continue
            order = step(ground, machine, left[name], heals=heals)
            if machine.state is State.DRAINING and orders_sent[name]:
                order = None
            if clock() > until or orders_sent[name] >= _MOST_ORDERS or _fails(machine, order):
                stuck[name] = shown(machine, ground.settings.seconds)
                del left[name]
            elif order is not None:
                orders_sent[name] += 1
                orders.append(order)
        for ack in await _send(ground, orders):
            if ack.failure is not None and ack.failure.failure_class is not FailureClass.THROTTLED:
                stuck[ack.machine] = f"refused ({ack.failure.failure_class}): {ack.failure.message}"
                left.pop(ack.machine, None)
        if left:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, MOST_PAUSE_SECONDS)
    return stuck


def _fails(machine: Machine, order: Order | None) -> bool:
    """Tell whether nothing will come any more: it has failed, or rests where no order leads on."""
    return order is None and (machine.state is State.FAILED or machine.state in _LINE)


def step(ground: Ground, machine: Machine, wanted: State, *, heals: bool) -> Order | None:
    """Give the next order for a machine on its way, None where it has to wait, or cannot go on."""
    match machine.state:
        case State.SPECULATIVE:
            return ground.create(machine.id)
        case State.IDLE if wanted is State.CONFIGURED:
            return ground.configure(machine.id)
        case State.IDLE if machine.kind.capacity_type.is_elastic:
            return ground.delete(machine.id)
        case State.CONFIGURED | State.DRAINING:
            return ground.drain(machine.id)
        case State.FAILED if heals:
            if machine.failed_from in (State.CONFIGURING, State.DRAINING):
                return ground.drain(machine.id)
            if machine.kind.capacity_type.is_elastic:
                return ground.delete(machine.id)
    return None


async def _send(ground: Ground, orders: Iterable[Order]) -> list[Ack]:
    """Send orders, each kind in one call; a call that there is not refuses all of its orders."""
    kinds: dict[type[Order], list[Order]] = defaultdict(list)
    for order in orders:
        kinds[type(order)].append(order)
    acks: list[Ack] = []
    for some in kinds.values():
        try:
            acks += await ground.send(some)
        except Unsupported as error:
            failure = Failure(FailureClass.INVALID, error.message, 0.0, Refusal.UNSUPPORTED)
            acks += [Ack(order.machine, failure=failure) for order in some]
    return acks


async def restore(ground: Ground) -> dict[str, str]:
    """Bring every machine that was used to where it was found; give those that are not, and why.

    Owner and ownership version stay as the last order said: no order takes them back.
    """
    await ground.caller.settled()
    if not ground.used:
        return {}
    wanted: dict[str, State] = {}
    left: dict[str, str] = {}
    for name in sorted(ground.used):
        state = ground.first[name].state
        assert state in _LINE, "only machines at rest are chosen"
        wanted[name] = state
    try:
        now = await ground.look(wanted)
        for name, machine in now.items():
            if not can_reach(ground.first[name], machine, wanted[name]):
                left[name] = "it was made real, and has no Delete"
                wanted[name] = State.IDLE
        return left | await bring(ground, wanted, heals=True)
    except (Broken, ProviderError) as error:
        return {name: str(error) for name in wanted}
