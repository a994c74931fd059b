"""What the world does to a provider: the events of a scenario."""

from dataclasses import fields
from math import floor, nan

import numpy as np

from models.labels import HOSTNAME
from providers.columns import HEALTHS, LabelColumn
from providers.machine import Health
from providers.simulated.books import SimulatedBooks
from providers.simulated.draws import uniform
from providers.simulated.knobs import Match
from providers.simulated.rules import matching
from providers.simulated.world import HOST_SUFFIX, Rows, World


def reclaim(
    books: SimulatedBooks, match: Match, fraction: float, notice: float, now: float
) -> Rows:
    """Take back a part of the elastic machines with a host, ``notice`` seconds from now.

    Which ones the seed draws; half a machine is none. One that had a notice before keeps the
    earlier end. Gives their rows.
    """
    world = books.world
    elastic = np.array([kind.capacity_type.is_elastic for kind in world.classes], dtype=np.bool_)
    may = matching(world, match) & world.hosted & elastic[world.class_index]
    rows = np.flatnonzero(may)
    lots = [
        uniform(books.seed, books.name, world.name(row), "reclaim", str(now))
        for row in rows.tolist()
    ]
    chosen = rows[np.argsort(lots, kind="stable")[: floor(fraction * len(rows) + 1e-9)]]
    world.due[chosen] = np.fmin(world.due[chosen], now + notice)
    world.told[chosen], world.noticed[chosen] = nan, True
    world.touch(chosen)
    return np.sort(chosen)


def kill(world: World, match: Match) -> Rows:
    """Let nodes vanish: Get knows them no more, and their health is DEAD. Gives their rows."""
    rows = np.flatnonzero(matching(world, match) & world.hosted)
    world.is_dead[rows] = True
    world.touch(rows)
    return rows


def set_health(world: World, match: Match, health: Health) -> Rows:
    """Let those with a host report another health. Gives their rows."""
    rows = np.flatnonzero(matching(world, match) & world.hosted)
    world.health[rows] = HEALTHS.index(health)
    world.touch(rows)
    return rows


def add_orphan(world: World, machine: str, like: str) -> None:
    """Add a machine that is as another one but for its id, its host and its label of a host.

    Raises
    ------
    ValueError
        When the id is taken or none, there is no such other machine, or it has no host.
    """
    row = world.row(like)
    if row is None or not world.hosts[row]:
        raise ValueError(f"there is no machine {like!r} with a host to be like.")
    if not machine or "\0" in machine:
        raise ValueError(f"{machine!r} is no id of a machine.")
    if world.row(machine) is not None:
        raise ValueError(f"there is a machine {machine!r} already.")
    name, host = machine.encode(), f"host-{machine}".encode()
    width = max(len(name), world.ids.itemsize)
    place = int(np.searchsorted(world.ids.astype(f"S{width}"), np.bytes_(name)))
    _insert(world, place, row)
    world.ids = world.ids.astype(f"S{width}")
    world.hosts = world.hosts.astype(f"S{max(width + HOST_SUFFIX, world.hosts.itemsize)}")
    world.ids[place], world.hosts[place] = name, host
    world.is_recounted = False
    world.touch(place)


def _insert(world: World, place: int, row: int) -> None:
    """Put a copy of one row before another; arrays are replaced, never changed in place."""
    count = len(world)
    for each in fields(world):
        column = getattr(world, each.name)
        if isinstance(column, np.ndarray) and len(column) == count:
            setattr(world, each.name, np.insert(column, place, column[row]))
    world.labels = tuple(
        LabelColumn(
            each.key,
            each.values,
            np.insert(each.index, place, 0 if each.key == HOSTNAME else each.index[row]),
        )
        for each in world.labels
    )
    failures = {at + (at >= place): failure for at, failure in world.failures.items()}
    if row in world.failures:
        failures[place] = world.failures[row]
    world.failures = failures
