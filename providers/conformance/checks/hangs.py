"""Transitions that never end, where the provider has machines for it."""

from models.machine import State
from providers.conformance.answers import accepted
from providers.conformance.ground import Ground
from providers.conformance.pool import bring
from providers.conformance.settings import Role
from providers.conformance.verdict import CannotTell, expect
from providers.machine import Machine


async def create(ground: Ground) -> None:
    """Create a machine that never becomes real, and give it back."""
    name = await _brought(ground, Role.HANG_CREATE, State.SPECULATIVE)
    accepted(await ground.ask(ground.create(name)), "Create")
    _expect_reason(await ground.until(name, State.FAILED), State.CREATING)
    if ground.first[name].kind.capacity_type.is_elastic:
        accepted(await ground.ask(ground.delete(name)), "Delete of one FAILED from CREATING")
        await ground.until(name, State.SPECULATIVE)


async def configure(ground: Ground) -> None:
    """Configure a machine that never becomes a node, try again, and release it."""
    name = await _brought(ground, Role.HANG_CONFIGURE, State.IDLE)
    first = await ground.ask(ground.configure(name))
    accepted(first, "Configure")
    _expect_reason(await ground.until(name, State.FAILED), State.CONFIGURING)
    again = await ground.ask(ground.configure(name))
    accepted(again, "Configure of one FAILED from CONFIGURING")
    is_new = again.operation != first.operation
    expect(is_new, "a Configure after FAILED to be a new operation", repr(again.operation))
    _expect_reason(await ground.until(name, State.FAILED), State.CONFIGURING)
    accepted(await ground.ask(ground.drain(name)), "Drain of one FAILED from CONFIGURING")
    released = await ground.until(name, State.IDLE)
    expect(not released.cluster, "a released machine without a cluster", repr(released.cluster))


async def _brought(ground: Ground, role: Role, state: State) -> str:
    name = ground.role(role)
    stuck = await bring(ground, {name: state})
    if stuck:
        raise CannotTell(f"{name!r} cannot be brought to {state.name}: {stuck[name]}")
    return name


def _expect_reason(machine: Machine, failed_from: State) -> None:
    failure = machine.last_failure
    is_told = failure is not None and bool(failure.message)
    expect(is_told, f"last_error with a message of {machine.id!r}, which has FAILED", repr(failure))
    wanted = f"failed_from {failed_from.name} of {machine.id!r}"
    expect(machine.failed_from is failed_from, wanted, machine.failed_from)
