"""Machines that an earlier run, which was killed, has left."""

from collections.abc import Iterable

from models.errors import ProviderError
from models.machine import State
from providers.conformance.ground import KIT_SHARDS, RESERVATION, Ground
from providers.conformance.pool import bring
from providers.conformance.verdict import Broken
from providers.machine import Machine

_OF_A_CREATE = frozenset({State.CREATING, State.DELETING})
_OF_A_DRAIN = frozenset({State.CONFIGURING, State.CONFIGURED, State.DRAINING})


def rest_of(machine: Machine) -> State | None:
    """Give where a machine of the kit's own should rest; None where it rests there already.

    One that a Create of the kit made is given back. Of one that serves nobody knows whether the
    kit made it or found it IDLE: it is drained, no more. An IDLE one that the kit has found has no
    reservation, as the Drain at the end of each run clears it.
    """
    if machine.shard not in KIT_SHARDS:
        return None
    is_elastic = machine.kind.capacity_type.is_elastic
    state = machine.failed_from if machine.state is State.FAILED else machine.state
    if machine.state is State.IDLE:
        is_made = is_elastic and machine.reservation == RESERVATION
        return State.SPECULATIVE if is_made else None
    if state in _OF_A_DRAIN:
        return State.IDLE
    if state in _OF_A_CREATE or machine.state is State.FAILED:
        return State.SPECULATIVE if is_elastic else State.IDLE
    return None


async def cleared(ground: Ground, told: Iterable[Machine]) -> dict[str, str]:
    """Bring what an earlier run left to rest; give what people should look at, with the reason."""
    left = {machine.id: machine for machine in told if rest_of(machine) is not None}
    if not left:
        return {}
    wanted = {name: rest for name, each in left.items() if (rest := rest_of(each)) is not None}
    aside = Ground(ground.caller, ground.settings, first=dict(left), last=dict(left))
    try:
        stuck = await bring(aside, wanted, heals=True)
    except (Broken, ProviderError) as error:
        return {name: str(error) for name in left}
    finally:
        await ground.caller.settled()
    drained = {
        name: "it is IDLE now; if that run has bought it, delete it"
        for name, state in wanted.items()
        if state is State.IDLE and left[name].kind.capacity_type.is_elastic
    }
    return drained | stuck
