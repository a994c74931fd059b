"""Phase 2, one machine at a time: draining ones, excess, victims; gangs by whole domains."""

from dataclasses import dataclass
from fractions import Fraction

from oracle.assign import candidates, domains, in_domain, keeps_floor, keeps_skew, order, take
from oracle.attribution import give_back_order, suits
from oracle.world import Machine, World

from models.action import Verb
from models.machine import State


def preempt(world: World, need: int) -> None:
    wanted = world.deficit(need)
    if not wanted or any(m.verb is Verb.CREATE for m in world.held(need)):
        return
    if world[need].same is not None:
        _preempt_for_gang(world, need, wanted)
        return
    scheme = _scheme(world, need, world.machines, wanted, free=[])
    _carry_out(world, need, scheme)


@dataclass
class Scheme:
    """What a need would take: free machines, draining ones, excess and victims, in that order."""

    free: list[Machine]
    draining: list[Machine]
    drained: list[Machine]
    usable: int

    def __len__(self) -> int:
        return len(self.free) + len(self.draining) + len(self.drained)


def _scheme(
    world: World, need: int, among: list[Machine], wanted: int, free: list[Machine]
) -> Scheme:
    own = [*world.held(need), *world.waiting(need)]
    mine = [*own, *free]

    draining = [m for m in among if _may_take_over(world, need, m)]
    unclaimed = [m for m in draining if m.need is None]
    claimed = [m for m in draining if m.need is not None]
    taken_over = _choose(world, need, (unclaimed, claimed), wanted - len(free), mine, full=False)
    mine += taken_over
    loose, serving = _evictable(world, need, among)
    left, full = wanted - len(free) - len(taken_over), is_saturated(world, need)
    drained = _choose(world, need, (loose, serving), left, mine, full=full)
    usable = [m for m in (*draining, *loose, *serving) if keeps_floor(world, need, m, own)]
    return Scheme(free, taken_over, drained, len(usable))


def _allowed(world: World, need: int, machine: Machine, mine: list[Machine]) -> bool:
    return keeps_floor(world, need, machine, mine) and keeps_skew(world, need, machine, mine)


def _may_take_over(world: World, need: int, machine: Machine) -> bool:
    return (
        machine.is_draining
        and not machine.noticed
        and (
            machine.need is None
            or (
                not world.is_silent(world[machine.need].cluster)
                and world.is_lower(machine.need, need)
            )
        )
        and machine.row.serves != -2
        and world.matches(machine, need)
    )


def _evictable(
    world: World, need: int, among: list[Machine]
) -> tuple[list[Machine], list[Machine]]:
    """Excess that the need may have, and machines that serve a strictly lower need."""
    loose, serving = [], []
    for m in among:
        if (
            m.state is not State.CONFIGURED
            or m.verb is not None
            or m.noticed
            or m.row.pinned
            or world.is_silent(m.row.cluster)
            or world.is_shadow(m.row.cluster)
            or not world.matches(m, need)
        ):
            continue
        if m.need is not None:
            if world.is_lower(m.need, need):
                serving.append(m)
        elif world.stood(m) or m.names is None or world.is_lower(m.names, need):
            loose.append(m)
    return loose, serving


def _choose(
    world: World,
    need: int,
    evictable: tuple[list[Machine], list[Machine]],
    wanted: int,
    mine: list[Machine],
    *,
    full: bool,
) -> list[Machine]:
    """Victims one after the other, each the best at that moment."""
    loose, serving = evictable
    gaps = [world[need].priority - world[m.need].priority for m in serving]
    largest = max(gaps, default=1)
    chosen: list[Machine] = []
    while len(chosen) < wanted:
        left = [m for m in (*loose, *serving) if m not in chosen]
        left = [m for m in left if _allowed(world, need, m, [*mine, *chosen])]
        if not left:
            break
        ranks = {m: _rank(world, need, m, chosen, full=full, largest=largest) for m in left}
        chosen.append(min(left, key=ranks.__getitem__))
    return chosen


def _rank(
    world: World, need: int, machine: Machine, chosen: list[Machine], *, full: bool, largest: int
) -> tuple:
    """Excess first; priority, unless the shard is full; score; broken gangs; cluster; id."""
    cluster, victim = machine.row.cluster, machine.need
    gives = world.given_by.get(cluster, 0) + sum(m.row.cluster == cluster for m in chosen)
    if victim is None:
        scored = score(world, need, machine, full=full, largest=largest)
        return (0, 0, -scored, 0, -gives, machine.row.id)
    scored = score(world, need, machine, full=full, largest=largest)
    lost = world.taken_from.get(victim, 0) + sum(m.need == victim for m in chosen)
    broken = world[victim].same is not None and lost > 0
    return (1, 0 if full else world[victim].priority, -scored, not broken, -gives, machine.row.id)


def score(world: World, preemptor: int, machine: Machine, *, full: bool, largest: int) -> int:
    """Whole millionths; higher is the better victim."""
    grace = grace_of(world, preemptor, machine)
    if machine.need is None:
        other = named(machine)
        theirs = 0.0 if other is None else world[other].drain_seconds
        drain, interruption = min(theirs, grace), 0.0
        reclamation = machine.row.reclamation_penalty
    else:
        victim = world[machine.need]
        drain, interruption = min(victim.drain_seconds, grace), victim.interruption_penalty
        reclamation = penalty(world, machine)
    preempt = world.settings.preempt
    speed, interrupt, reclaim = preempt.saturated if full else preempt.normal
    total = (
        Fraction(speed) / (1 + Fraction(drain) / 60)
        + Fraction(interrupt) / (1 + Fraction(interruption) / 10)
        + Fraction(reclaim) / (1 + Fraction(reclamation) / 1000)
    )
    if full and machine.need is not None:
        gap = world[preemptor].priority - world[machine.need].priority
        total += 2 * Fraction(gap, largest)
    return round(total * 10**6)


def named(machine: Machine) -> int | None:
    """The need whose work an excess machine still runs; one that drains has its orders."""
    return None if machine.is_draining else machine.names


def penalty(world: World, machine: Machine) -> float:
    """The larger of the machine's own reclamation penalty and that of the need it serves."""
    return max(machine.row.reclamation_penalty, world[machine.need].reclamation_penalty)


def grace_of(world: World, preemptor: int, machine: Machine) -> float:
    """By the priority gap; an excess machine to the need it names, else the last step."""
    other = machine.need if machine.need is not None else named(machine)
    if other is None:
        return world.grace(None)
    return world.grace(max(world[preemptor].priority - world[other].priority, 0))


def is_saturated(world: World, need: int) -> bool:
    if world[need].priority < world.settings.shortfalls.tier1:
        return False
    hosted = [m for m in world.machines if m.row.host_ref is not None]
    used = [m for m in hosted if m.row.cluster is not None]
    return len(used) >= world.settings.preempt.saturation * len(hosted)


def _carry_out(world: World, need: int, scheme: Scheme) -> None:
    order(world, need, scheme.free)
    for machine in scheme.draining:
        machine.need = need
    for machine in scheme.drained:
        grace, loser = grace_of(world, need, machine), machine.need
        if loser is not None:
            _step_in(world, loser)
        machine.order(Verb.DRAIN, need, grace)
        machine.need = need
        cluster = machine.row.cluster
        world.given_by[cluster] = world.given_by.get(cluster, 0) + 1


def _step_in(world: World, loser: int) -> None:
    """An excess machine of its own takes the place of the one a need lost."""
    own = [m for m in world.machines if world.is_excess(m) and m.names == loser]
    own = [m for m in own if suits(world, m, loser)]
    if world[loser].same is not None:
        pin = domains(world, loser)
        own = [m for m in own if world.domain(m, world[loser].same) in pin]
    if own:
        give_back_order(world, own, loser)[-1].need = loser
    else:
        world.taken_from[loser] = world.taken_from.get(loser, 0) + 1


def _preempt_for_gang(world: World, need: int, wanted: int) -> None:
    """Domain and victims together: fewest evictions, least damage, least left over, name."""
    best = None
    for domain in domains(world, need):
        among = [m for m in world.machines if in_domain(world, need, m, domain)]
        usable = [m for m in candidates(world, need) if m in among]
        free = take(world, need, usable, wanted)
        scheme = _scheme(world, need, among, wanted, free)
        if len(scheme) < wanted:
            continue
        victims = [m for m in scheme.drained if m.need is not None]
        left = len(usable) + scheme.usable - wanted
        rank = (len(victims), damage(world, victims), left, domain)
        if best is None or rank < best[0]:
            best = (rank, scheme)
    if best is not None:
        _carry_out(world, need, best[1])


def damage(world: World, victims: list[Machine]) -> float:
    """Interruption penalties, a gang's once, and reclamation penalties; USD."""
    total = sum(penalty(world, m) for m in victims)
    gangs = set()
    for m in victims:
        if world[m.need].same is None:
            total += world[m.need].interruption_penalty
        elif m.need not in gangs and not world.taken_from.get(m.need):
            gangs.add(m.need)
            total += world[m.need].interruption_penalty
    return total
