"""Ask round by round how machines are, so many at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from models.machine import State
from providers.machine import Health, Machine
from providers.metal.hooks import Call, HealthHook, Kind
from providers.metal.outcome import Outcome
from providers.metal.racks import Racks

Asked = Callable[[Call], Awaitable[Outcome]]


async def watch(hook: HealthHook, racks: Racks, asked: Asked) -> None:
    """Ask for ever about the machines that are real; a round begins ``every`` seconds.

    A round that takes longer is followed by the next at once.
    """
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        real = iter([each for each in racks.ledger.machines.values() if _is_real(each)])
        async with asyncio.TaskGroup() as tasks:
            for _ in range(hook.at_once):
                tasks.create_task(_ask(real, racks, asked))
        await asyncio.sleep(max(began + hook.every - loop.time(), 0.0))


def said_health(outcome: Outcome) -> Health:
    """Read an answer; whoever cannot say how a machine is has not said that it is well."""
    words = (Health.OK, Health.SUSPECT, Health.DEAD)
    return Health(outcome.said) if not outcome.failure and outcome.said in words else Health.UNKNOWN


async def _ask(machines: Iterator[Machine], racks: Racks, asked: Asked) -> None:
    for machine in machines:
        call = Call(
            Kind.HEALTH,
            machine.id,
            machine.host,
            machine.operation,
            machine.cluster,
            machine.reservation,
        )
        racks.felt(machine.id, said_health(await asked(call)))


def _is_real(machine: Machine) -> bool:
    return bool(machine.host) and machine.state is not State.CREATING
