"""What happens by itself as time goes by: transitions end or are given up, spot machines go.

Each machine's events come in their order, whatever the others do: a pass handles the earliest of
every machine that has one, and passes go on until none is left before ``now``.
"""

from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from models.failure import FailureClass
from models.machine import CapacityType, Operation, State
from providers.machine import Failure
from providers.simulated.books import RPC, SimulatedBooks
from providers.simulated.draws import hours_until, uniform
from providers.simulated.world import World

Rows = NDArray[np.int64]

_RPC_OF = {
    State.CREATING: RPC[Operation.CREATE],
    State.CONFIGURING: RPC[Operation.CONFIGURE],
    State.DRAINING: RPC[Operation.DRAIN],
    State.DELETING: RPC[Operation.DELETE],
}


def pass_until(books: SimulatedBooks, now: float) -> None:
    """Let all happen that happens until ``now``, included."""
    world = books.world
    while books.next_at <= now:
        events = _events(books)
        first = np.min(events, axis=0, initial=inf)
        rows = np.flatnonzero(first <= now)
        if not len(rows):
            books.next_at = float(np.min(first, initial=inf))
            return
        kind = np.argmin(events[:, rows], axis=0)
        for number, happens in enumerate((_end, _give_up, _arrive_late, _notice, _reclaim)):
            some = rows[kind == number]
            if len(some):
                happens(books, some)
                world.touch(some)


def _events(books: SimulatedBooks) -> NDArray[np.float64]:
    """Give when each machine's transition ends, is given up, comes late, has a notice, is taken."""
    world = books.world
    notice = books.knobs.reclaims.notice if books.knobs.reclaims else 0.0
    told = np.where(world.noticed, nan, world.due - notice)
    due = np.where(world.noticed, world.due, nan)
    stacked = np.stack([world.ends, world.gives_up, world.late, told, due])
    return np.where(np.isnan(stacked), inf, stacked)


def _end(books: SimulatedBooks, rows: Rows) -> None:
    world = books.world
    for row in rows.tolist():
        at = float(world.ends[row])
        match State(int(world.state[row])):
            case State.CREATING:
                become_real(books, row, at)
            case State.CONFIGURING:
                world.settle(row, State.CONFIGURED, at)
            case State.DRAINING:
                world.settle(row, State.IDLE, at)
            case _:
                world.settle(row, State.SPECULATIVE, at)


def _give_up(books: SimulatedBooks, rows: Rows) -> None:
    world = books.world
    for row in rows.tolist():
        state, at = State(int(world.state[row])), float(world.gives_up[row])
        rpc = _RPC_OF[state]
        limit = getattr(books.knobs.timeouts, rpc)
        said = f"{rpc} was given up after {limit:g} s."
        world.settle(row, State.FAILED, at)
        world.failed_from[row] = state
        world.failures[row] = Failure(FailureClass.INTERNAL, said, at)


def _arrive_late(books: SimulatedBooks, rows: Rows) -> None:
    world = books.world
    for row in rows.tolist():
        at = float(world.late[row])
        world.late[row] = nan
        if world.state[row] in (State.SPECULATIVE, State.CREATING):
            become_real(books, row, at)


def _notice(books: SimulatedBooks, rows: Rows) -> None:
    books.world.noticed[rows] = True


def _reclaim(books: SimulatedBooks, rows: Rows) -> None:
    world = books.world
    for row in rows.tolist():
        world.settle(row, State.SPECULATIVE, float(world.due[row]))


def become_real(books: SimulatedBooks, row: int, at: float) -> None:
    """Give a machine a host; a spot machine will be taken back when its probability says."""
    world = books.world
    world.settle(row, State.IDLE, at)
    world.hosts[row] = f"{world.name(row)}-{int(world.operation[row])}".encode()
    world.due[row] = due_at(books, row, at)


def due_at(books: SimulatedBooks, row: int, at: float) -> float:
    """Draw when the cloud takes a machine back that is real since ``at``; NaN for never."""
    world, kind = books.world, books.world.classes[int(books.world.class_index[row])]
    if books.knobs.reclaims is None or kind.capacity_type is not CapacityType.SPOT:
        return nan
    chance = uniform(books.seed, books.name, world.name(row), "due", int(world.operation[row]))
    hours = hours_until(kind.interruption_probability, chance)
    return at + hours * 3600 if hours < inf else nan


def draw_first_reclaims(books: SimulatedBooks, world: World, now: float) -> None:
    """Draw when the spot machines that are real from the beginning go."""
    if books.knobs.reclaims is not None:
        for row in np.flatnonzero(world.hosted & np.isnan(world.due)).tolist():
            world.due[row] = due_at(books, row, now)
