"""What the world does to a provider: the events of a scenario."""

from dataclasses import fields
from math import floor

import numpy as np
from numpy.typing import NDArray

from models.machine import State
from providers.columns import LabelColumn
from providers.simulated.books import SimulatedBooks
from providers.simulated.draws import uniform
from providers.simulated.knobs import Match
from providers.simulated.rules import matching
from providers.simulated.world import World

Rows = NDArray[np.int64]


def reclaim(
    books: SimulatedBooks, match: Match, fraction: float, notice: float, now: float
) -> Rows:
    """Take back a part of the elastic machines with a host, ``notice`` seconds from now.

    Which ones the seed draws; half a machine is none. Gives their rows.
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
    world.due[chosen], world.noticed[chosen] = now + notice, True
    world.touch(chosen)
    books.next_at = min(books.next_at, now + notice)
    return np.sort(chosen)


def set_quota(world: World, match: Match, count: int) -> None:
    """Let there be ``count`` slots of those that match, in all.

    Slots in use stay until they are deleted; of the others the lowest ids are listed. A larger
    quota lists again what a smaller one took away, and never more than there were.
    """
    mask = matching(world, match)
    is_used = world.state != State.SPECULATIVE
    spare = np.flatnonzero(mask & ~is_used)
    stays = max(count - int(np.count_nonzero(mask & is_used)), 0)
    for row in spare[:stays][~world.is_listed[spare[:stays]]].tolist():
        world.is_listed[row] = True
        world.gone.pop(world.name(row), None)
        world.touch(row)
    for row in spare[stays:][world.is_listed[spare[stays:]]].tolist():
        world.is_listed[row] = False
        world.touch(row)
        world.gone[world.name(row)] = world.now_revision


def kill(world: World, match: Match) -> Rows:
    """Let nodes vanish: Get knows them no more, and their health is DEAD. Gives their rows."""
    rows = np.flatnonzero(matching(world, match) & world.hosted)
    world.is_dead[rows] = True
    world.touch(rows)
    return rows


def add_orphan(world: World, machine: str, like: str) -> None:
    """Add a machine that is as another one but for its id, its host and its label of a host.

    Raises
    ------
    ValueError
        When the id is taken or there is no such other machine.
    """
    row = world.row(like)
    if row is None:
        raise ValueError(f"there is no machine {like!r} to be like.")
    if world.row(machine) is not None:
        raise ValueError(f"there is a machine {machine!r} already.")
    name = machine.encode()
    world.ids = world.ids.astype(f"S{max(len(name), world.ids.itemsize)}")
    place = int(np.searchsorted(world.ids, np.bytes_(name)))
    count = len(world)
    for each in fields(world):
        column = getattr(world, each.name)
        if isinstance(column, np.ndarray) and len(column) == count and column.ndim == 1:
            setattr(world, each.name, np.insert(column, place, column[row]))
    world.labels = tuple(
        LabelColumn(each.key, each.values, np.insert(each.index, place, each.index[row]))
        for each in world.labels
    )
    world.failures = {at + (at >= place): failure for at, failure in world.failures.items()}
    host = f"host-{machine}".encode()
    world.hosts = world.hosts.astype(f"S{max(len(host), world.hosts.itemsize)}")
    world.ids[place], world.hosts[place] = name, host
    world.touch(place)
