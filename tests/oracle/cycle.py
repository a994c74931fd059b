"""The whole cycle in plain Python: an independent and slow reading of the specification."""

from collections.abc import Mapping
from dataclasses import dataclass

from oracle.assign import assign, candidates, domains, keeps_skew
from oracle.preempt import preempt
from oracle.world import Machine, World, world_of

from models.action import Verb
from models.machine import State
from models.rows import FleetRows
from models.settings import Settings
from models.shortfall import Reason

Order = tuple[str, str, str | None, float]
"""Verb, machine, need as ``cluster/id``, seconds of grace."""


@dataclass(frozen=True)
class Answer:
    actions: set[Order]
    shortfalls: dict[str, tuple[int, str]]


def decide(
    rows: FleetRows, shard: str, settings: Settings, attribution: Mapping[str, int | None]
) -> Answer:
    """Answer for one shard, given which need each machine counts for (see ``attribution``)."""
    world = world_of(rows, shard, settings)
    _open(world, attribution)
    walk = world.walk()
    shadow = [need for need in walk if world.is_shadow(world[need].cluster)]
    _serve(world, [need for need in walk if need not in shadow])
    dreamt = world.copy()
    _serve(dreamt, shadow)
    shortfalls = {
        name(world, n): short
        for n in walk
        if (short := shortfall(dreamt if n in shadow else world, n))
    }
    _phase_3(world)
    _release(world)
    return Answer({o for m in world.machines if (o := _order(world, m))}, shortfalls)


def _serve(world: World, needs: list[int]) -> None:
    for need in needs:
        assign(world, need)
        preempt(world, need)


def name(world: World, need: int) -> str:
    return f"{world[need].cluster}/{world[need].id}"


def _open(world: World, attribution: Mapping[str, int | None]) -> None:
    for machine in world.machines:
        machine.need = attribution.get(machine.row.id)
    for machine in world.machines:
        if machine.state is State.DRAINING and not machine.noticed:
            need = machine.names
            if need is not None and world.matches(machine, need):
                machine.need = need
    for need in world.needs:
        # What drains for a need beyond what it misses drains for nobody.
        for machine in sorted(world.waiting(need), key=lambda m: m.row.id)[world.missing(need) :]:
            machine.need = None


def _phase_3(world: World) -> None:
    for machine in world.machines:
        if (
            world.is_excess(machine)
            and not machine.row.pinned
            and world.stood(machine)
            and not world.is_shadow(machine.row.cluster)
        ):
            machine.order(Verb.DRAIN, None, world.grace(None))


def _release(world: World) -> None:
    for machine in world.machines:
        row = machine.row
        if machine.state is not State.IDLE or not machine.is_free or row.pinned:
            continue
        if machine.need is not None or (machine.names is not None and not world.stood(machine)):
            continue
        held = world.settings.release.hold.seconds(row.capacity_type)
        if row.capacity_type.is_elastic and world.now - row.state_since >= held:
            machine.order(Verb.DELETE, None)


def _order(world: World, machine: Machine) -> Order | None:
    if machine.verb is None:
        return None
    need = machine.for_need
    return (
        str(machine.verb),
        machine.row.id,
        None if need is None else name(world, need),
        machine.grace,
    )


def shortfall(world: World, need: int) -> tuple[int, str] | None:
    missing, waiting = world.missing(need), len(world.waiting(need))
    if not missing:
        late = _late(world, need)
        return (late, Reason.WAITING_FOR_CREATE) if late else None
    return (missing, _reason(world, need, missing, waiting))


def _late(world: World, need: int) -> int:
    """Machines on their way, once the oldest is past half its timeout."""
    timeouts = world.settings.timeouts
    half = {State.CREATING: timeouts.creating / 2, State.CONFIGURING: timeouts.configuring / 2}
    coming = [m for m in world.held(need) if m.state in half]
    if any(world.now - m.row.state_since > half[m.state] for m in coming):
        return len(coming)
    return 0


def _reason(world: World, need: int, missing: int, waiting: int) -> Reason:
    if missing == waiting:
        return Reason.WAITING_FOR_DRAIN
    matching = [m for m in world.machines if world.matches(m, need)]
    if not matching:
        return Reason.NO_MATCHING_MACHINE
    same = world[need].same
    if same is not None:
        sizes: dict[tuple, int] = {}
        for m in matching:
            domain = world.domain(m, same)
            if domain is not None:
                sizes[domain] = sizes.get(domain, 0) + 1
        if max((sizes.get(d, 0) for d in domains(world, need)), default=0) < world[need].count:
            return Reason.TOPOLOGY_UNSATISFIABLE
    mine = [*world.held(need), *world.waiting(need)]
    if any(not keeps_skew(world, need, m, mine) for m in candidates(world, need)):
        return Reason.SPREAD_UNSATISFIABLE
    free = [m for m in matching if m.is_free and m.state is State.SPECULATIVE]
    if any(m.kind[3][0] for m in free):
        return Reason.PRICE_UNKNOWN
    return Reason.CAPACITY_EXHAUSTED
