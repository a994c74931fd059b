"""Phase 1, one machine at a time: idle ones first, then speculative ones."""

from collections import Counter
from math import ceil, inf

from oracle.attribution import give_back_order
from oracle.world import Machine, World, percent

from models import labels
from models.action import Verb
from models.machine import State

Domain = tuple[str, ...]


def assign(world: World, need: int) -> None:
    """Configure what is reserved, then take what is free; a gang all or nothing."""
    for machine in world.held(need):
        if machine.state is State.IDLE and machine.verb is None:
            machine.order(Verb.CONFIGURE, need)
    step_in(world, need)
    wanted = world.deficit(need)
    if not wanted:
        return
    if world[need].same is None:
        order(world, need, take(world, need, candidates(world, need), wanted))
        return
    best = None
    for domain in domains(world, need):
        among = [m for m in candidates(world, need) if in_domain(world, need, m, domain)]
        taken = take(world, need, among, wanted)
        if len(taken) == wanted:
            buys = any(m.state is State.SPECULATIVE for m in taken)
            cost = sum(world.cost(m, need) for m in taken)
            rank = (buys, len(among) - wanted, cost, domain)
            if best is None or rank < best[0]:
                best = (rank, taken)
    if best is not None:
        order(world, need, best[1])


def step_in(world: World, need: int) -> None:
    """Machines beyond every count of the need's cluster serve it before anything is ordered."""
    asked = world[need]
    spares = [
        m
        for m in world.machines
        if world.is_excess(m)
        and m.row.cluster == asked.cluster
        and world.matches(m, need, configured=True)
        and not world.is_shadow(asked.cluster)
    ]
    if asked.same is not None:
        pinned = domains(world, need) if world.held(need) else []
        spares = [m for m in spares if world.domain(m, asked.same) in pinned]
    for machine in give_back_order(world, spares, need)[::-1][: world.deficit(need)]:
        machine.need = need


def order(world: World, need: int, taken: list[Machine]) -> None:
    for machine in taken:
        verb = Verb.CONFIGURE if machine.state is State.IDLE else Verb.CREATE
        machine.order(verb, need)
        machine.need = need


def in_domain(world: World, need: int, machine: Machine, domain: Domain) -> bool:
    return world.domain(machine, world[need].same) == domain


def domains(world: World, need: int) -> list[Domain]:
    """All domains of a gang's level, or the one where most of what it has is."""
    key = world[need].same
    mine = [world.domain(m, key) for m in (*world.held(need), *world.waiting(need))]
    counted = Counter(domain for domain in mine if domain is not None)
    if counted:
        return [min(counted, key=lambda domain: (-counted[domain], domain))]
    return sorted({d for m in world.machines if (d := world.domain(m, key)) is not None})


def candidates(world: World, need: int) -> list[Machine]:
    """Free machines that the need could use, leaving the skew aside."""
    mine = [*world.held(need), *world.waiting(need)]
    return [
        m
        for m in world.machines
        if m.is_free
        and world.matches(m, need)
        and keeps_floor(world, need, m, mine)
        and (may_have_idle if m.state is State.IDLE else is_buyable)(world, m, need)
    ]


def may_have_idle(world: World, machine: Machine, need: int) -> bool:
    if machine.need is not None:
        return not world.is_silent(world[machine.need].cluster) and world.is_lower(
            machine.need, need
        )
    if machine.names is None or world.stood(machine):
        return True
    return world.is_lower(machine.names, need)


def is_buyable(world: World, machine: Machine, need: int) -> bool:
    """Never at an unknown price; tier 1 does not wait for long."""
    tier1 = world[need].priority >= world.settings.shortfalls.tier1
    return not machine.kind[3][0] and not (tier1 and is_slow(world, machine))


def is_slow(world: World, machine: Machine) -> bool:
    return machine.row.ready_seconds > world.settings.assign.max_wait


def take(world: World, need: int, among: list[Machine], wanted: int) -> list[Machine]:
    """Choose up to ``wanted`` machines, one after the other."""
    taken: list[Machine] = []
    left = list(among)
    while len(taken) < wanted:
        mine = [*world.held(need), *world.waiting(need), *taken]
        allowed = [
            m
            for m in left
            if keeps_floor(world, need, m, mine) and keeps_skew(world, need, m, mine)
        ]
        idle = [m for m in allowed if m.state is State.IDLE]
        if idle:
            chosen = min(idle, key=lambda m: idle_rank(world, need, m, mine))
        else:
            chosen = choose_speculative(world, need, allowed, mine, taken)
        if chosen is None:
            break
        taken.append(chosen)
        left.remove(chosen)
    return taken


def keeps_floor(world: World, need: int, machine: Machine, mine: list[Machine]) -> bool:
    """As many as the floor says are to be had where p = 0."""
    if machine.row.interruption_probability == 0:
        return True
    risky = sum(m.row.interruption_probability > 0 for m in mine)
    return risky + 1 <= world[need].count - world[need].floor


def keeps_skew(world: World, need: int, machine: Machine, mine: list[Machine]) -> bool:
    for spread in world[need].spread:
        if not spread.is_hard:
            continue
        value = machine.label(spread.key)
        if not value:
            return False
        counts = counts_by_value(world, need, spread.key, mine)
        if counts[value] + 1 - min(counts.values()) > spread.max_skew:
            return False
    return True


def counts_by_value(world: World, need: int, key: str, mine: list[Machine]) -> dict[str, int]:
    """How many of the need's machines each value holds; values without any count too."""
    counts = {m.label(key): 0 for m in world.machines if m.label(key) and world.matches(m, need)}
    for machine in mine:
        if machine.label(key):
            counts.setdefault(machine.label(key), 0)
            counts[machine.label(key)] += 1
    return counts


def crowding(world: World, need: int, machine: Machine, mine: list[Machine]) -> tuple[float, ...]:
    """How full the machine's domain is, for each spread; last where it has none."""
    return tuple(
        counts_by_value(world, need, spread.key, mine).get(machine.label(spread.key), inf)
        for spread in world[need].spread
    )


def wastes(world: World, need: int, machine: Machine) -> bool:
    """Whether it holds a scarce resource that the need never asked for."""
    return any(
        machine.row.resources.get(name, 0) > 0 and world[need].resources.get(name, 0) == 0
        for name in world.settings.assign.scarce
    )


def decade(penalty: float) -> int:
    return sum(penalty > bound for bound in (0, 1, 10, 100, 1000, 10000, 100000))


def idle_rank(world: World, need: int, machine: Machine, mine: list[Machine]) -> tuple:
    return (
        machine.need is not None,
        crowding(world, need, machine, mine),
        wastes(world, need, machine),
        machine.kind[3][0],
        decade(machine.row.reclamation_penalty),
        world.cost(machine, need),
        machine.kind,
        machine.row.id,
    )


def speculative_rank(world: World, need: int, machine: Machine, mine: list[Machine]) -> tuple:
    return (
        crowding(world, need, machine, mine),
        wastes(world, need, machine),
        is_slow(world, machine),
        world.cost(machine, need),
        machine.row.interruption_probability,
        machine.label(labels.ZONE) or "",
        machine.kind,
        machine.row.id,
    )


def choose_speculative(
    world: World, need: int, allowed: list[Machine], mine: list[Machine], taken: list[Machine]
) -> Machine | None:
    """The first in order; among alike spot candidates the place that holds fewest goes first."""
    allowed = [m for m in allowed if keeps_share(world, need, m, allowed, mine)]
    if not allowed:
        return None

    def rank(machine: Machine) -> tuple:
        return speculative_rank(world, need, machine, mine)

    first = min(allowed, key=rank)
    if not first.is_spot:
        return first
    spots = [m for m in allowed if m.is_spot and rank(m)[:3] == rank(first)[:3]]
    tolerance = 1 + percent(world.settings.assign.price_tolerance)
    cheapest = min(world.cost(m, need) for m in spots)
    alike = [m for m in spots if world.cost(m, need) <= cheapest * tolerance]
    cluster = [m for m in world.machines if belongs(world, m, world[need].cluster)] + taken
    places = Counter(m.spot_place for m in cluster if m.is_spot)
    return min(alike, key=lambda m: (places[m.spot_place], rank(m)))


def belongs(world: World, machine: Machine, cluster: str) -> bool:
    """Whether a cluster has the machine, or will have it."""
    if machine.noticed or machine.is_draining:
        return False
    if machine.need is not None:
        return world[machine.need].cluster == cluster
    return machine.state in (State.CONFIGURED, State.CONFIGURING) and (
        machine.row.cluster == cluster
    )


def keeps_share(
    world: World, need: int, machine: Machine, allowed: list[Machine], mine: list[Machine]
) -> bool:
    """No place holds more than its share while another spot place, cheap enough, is free."""
    if not machine.is_spot:
        return True
    cap = ceil(percent(world.settings.assign.spot_max_share) * world[need].count)
    if sum(m.is_spot and m.spot_place == machine.spot_place for m in mine) < cap:
        return True
    firm = min((world.cost(m, need) for m in allowed if not m.is_spot), default=inf)
    return not any(
        m.is_spot and m.spot_place != machine.spot_place and world.cost(m, need) < firm
        for m in allowed
    )
