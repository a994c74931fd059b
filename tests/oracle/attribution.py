"""Who serves what, by enumeration: all that can be reached, then the best of it."""

from math import isnan

from oracle.world import Machine, World

from models.machine import State

_COUNTED = (State.CONFIGURED, State.CONFIGURING, State.CREATING, State.IDLE)


def home(world: World, machine: Machine) -> str | None:
    """The cluster that holds a machine: its own, or that of the need it is reserved for."""
    if machine.noticed or machine.state not in _COUNTED:
        return None
    if machine.state in (State.CREATING, State.IDLE):
        return None if machine.names is None else world[machine.names].cluster
    return machine.row.cluster


def suits(world: World, machine: Machine, need: int) -> bool:
    """What a bootstrap makes true is true once it is through."""
    return world.matches(machine, need, machine.state is State.CONFIGURED)


def fill_order(world: World, cluster: str) -> list[int]:
    """Priority, then the need fewer free machines could serve, then the name."""

    def free(need: int) -> int:
        return sum(may_be_free(m) and world.matches(m, need) for m in world.machines)

    needs = [n for n in world.needs if world[n].cluster == cluster]
    return sorted(needs, key=lambda n: (-world[n].priority, free(n), world[n].name))


def may_be_free(machine: Machine) -> bool:
    """Idle and unreserved, or to be bought; never at an unknown price."""
    if machine.state is State.SPECULATIVE and isnan(machine.row.price_per_hour):
        return False
    return machine.is_free and machine.names is None


def best_fills(world: World, cluster: str, without: list[Machine]) -> tuple[dict[int, int], int]:
    """The fills of a cluster's plain needs, and how many machines can keep their need meanwhile.

    ``without`` are the machines that its gangs have. Walks the others and keeps, for every vector
    of fills that can be reached, the largest number that keep their need. The largest vector in the
    order of filling wins.
    """
    needs = [n for n in fill_order(world, cluster) if world[n].same is None]
    reached = {(0,) * len(needs): 0}
    for machine in world.machines:
        if home(world, machine) != cluster or machine in without:
            continue
        grown = dict(reached)
        for fills, kept in reached.items():
            for place, need in enumerate(needs):
                if fills[place] < world[need].count and suits(world, machine, need):
                    more = (*fills[:place], fills[place] + 1, *fills[place + 1 :])
                    stays = kept + (machine.names == need)
                    grown[more] = max(grown.get(more, -1), stays)
        reached = grown
    best = max(reached)
    return dict(zip(needs, best, strict=True)), reached[best]


def give_back_order(world: World, machines: list[Machine], need: int) -> list[Machine]:
    """Phase 3's order among a need's: not yet configured, dearest prices, lower penalty, id."""
    early = [m for m in machines if m.state in (State.IDLE, State.CREATING)]
    booting = [m for m in machines if m.state is State.CONFIGURING]
    rest = [m for m in machines if m.state is State.CONFIGURED]
    theirs = world[need].reclamation_penalty
    return [
        m
        for stage in (early, booting, rest)
        for group in _like_prices(stage)
        for m in sorted(group, key=lambda m: (max(m.row.reclamation_penalty, theirs), m.row.id))
    ]


def _like_prices(machines: list[Machine]) -> list[list[Machine]]:
    """Unknown prices, then groups that begin at the dearest and take all at 0.95 of it."""
    groups = [[m for m in machines if isnan(m.row.price_per_hour)]]
    known = [m for m in machines if not isnan(m.row.price_per_hour)]
    while known:
        least = 0.95 * max(m.row.price_per_hour for m in known)
        groups.append([m for m in known if m.row.price_per_hour >= least])
        known = [m for m in known if m.row.price_per_hour < least]
    return groups
