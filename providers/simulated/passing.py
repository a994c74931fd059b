"""What happens by itself as time goes by: transitions end or are given up, spot machines go.

Each machine's events come in their order, whatever the others do: a pass handles the earliest of
every machine that has one, and passes go on until none is left. A pass costs a look at one column
of all machines (a millisecond for a million) and work only for the machines to which it happens.
"""

from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.contract.begin import TARGETS
from providers.machine import Failure
from providers.simulated.books import RPC, SimulatedBooks, let_run
from providers.simulated.draws import hours_until, uniform
from providers.simulated.world import COMING, Rows

Times = NDArray[np.float64]

_ENDS_IN = {running: rests for running, rests in TARGETS.values()}
_RPC_OF = {running: RPC[operation] for operation, (running, _) in TARGETS.items()}


def pass_until(books: SimulatedBooks, now: float, *, is_included: bool = True) -> None:
    """Let all happen that happens before ``now``, or at it too."""
    world = books.world
    until = now if is_included else float(np.nextafter(now, -inf))
    while world.next_at <= until:
        rows = np.flatnonzero(world.next <= until)
        if not len(rows):
            world.next_at = float(np.min(world.next, initial=inf))
            return
        coming = np.nan_to_num(world.coming(rows), nan=inf)
        kinds, times = np.argmin(coming, axis=0), world.next[rows]
        for number, name in enumerate(COMING):
            is_it = kinds == number
            if np.any(is_it):
                _HAPPENS[name](books, rows[is_it], times[is_it])
                world.touch(rows[is_it])


def _end(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    world = books.world
    was = world.state[rows]
    for running, rests in _ENDS_IN.items():
        some, times = rows[was == running], at[was == running]
        if running is State.CREATING:
            become_real(books, some, times)
        elif len(some):
            world.settle(some, rests, times)


def _give_up(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    world = books.world
    was = world.state[rows]
    world.settle(rows, State.FAILED, at)
    world.failed_from[rows] = was
    for row, code, time in zip(rows.tolist(), was.tolist(), at.tolist(), strict=True):
        rpc = _RPC_OF[State(code)]
        said = f"{rpc} was given up after {getattr(books.knobs.timeouts, rpc):g} s."
        world.failures[row] = Failure(FailureClass.INTERNAL, said, time)


def _arrive_late(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    world = books.world
    world.late[rows] = nan
    takes = np.isin(world.state[rows], (State.SPECULATIVE, State.CREATING))
    become_real(books, rows[takes], at[takes])
    # One that was withdrawn has come back as a real machine.
    world.is_recounted = False


def _notice(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    books.world.told[rows], books.world.noticed[rows] = nan, True


def _reclaim(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    books.world.settle(rows, State.SPECULATIVE, at)


_HAPPENS = {
    "ends": _end,
    "gives_up": _give_up,
    "late": _arrive_late,
    "told": _notice,
    "due": _reclaim,
}


def become_real(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    """Give machines their hosts; spot ones will be taken back when their probability says."""
    world = books.world
    if not len(rows):
        return
    world.settle(rows, State.IDLE, at)
    names, counts = world.ids[rows].tolist(), world.operation[rows].tolist()
    world.hosts[rows] = [b"%b-%d" % pair for pair in zip(names, counts, strict=True)]
    draw_reclaims(books, rows, at)


def draw_reclaims(books: SimulatedBooks, rows: Rows, at: Times) -> None:
    """Draw when the cloud takes back machines that are real since ``at``, each by its chance."""
    world, reclaims = books.world, books.knobs.reclaims
    if reclaims is None:
        return
    kinds = [world.classes[number] for number in world.class_index[rows].tolist()]
    for row, kind, time in zip(rows.tolist(), kinds, at.tolist(), strict=True):
        if kind.capacity_type is CapacityType.SPOT:
            count = int(world.operation[row])
            chance = uniform(books.seed, books.name, world.name(row), "due", count)
            hours = hours_until(kind.interruption_probability, chance)
            if hours < inf:
                world.due[row] = time + hours * 3600
                world.told[row] = world.due[row] - reclaims.notice


def begin_world(books: SimulatedBooks, now: float) -> None:
    """Let what a document says go on: transitions end, spot machines will be taken back."""
    world = books.world
    for operation, (running, _) in TARGETS.items():
        for row in np.flatnonzero(world.state == running).tolist():
            let_run(books, row, RPC[operation], float(world.since[row]))
    alive = np.flatnonzero(world.hosted & np.isnan(world.due))
    draw_reclaims(books, alive, np.full(len(alive), now))
    world.schedule(np.arange(len(world)))
