"""Machines one by one, in columns as small as they can be: from rows to offers and back."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.distinct import sums
from models.fleet import Ints, Mask
from rebalancer.problems.transfer.columns import freeze_table
from rebalancer.problems.transfer.moves import Moves
from rebalancer.problems.transfer.offers import NOBODY, Offers, Tier

STAYS = 3
"""In place of a tier: the machine is not offered."""

CHUNK = 1 << 20
"""Rows at a time: some 50 MiB of working memory, however many rows there are."""

SEARCHED = 1 << 17
"""Rows at a time where some are looked for: what has given enough is passed over from the next on.
Naming 4 million of 100 million machines took 0.9 s so, 1.05 s in chunks of a million."""


@dataclass(frozen=True, eq=False, slots=True)
class MachineRows:
    """Machines of a fleet, ``M`` rows of whatever integers are large enough.

    Attributes
    ----------
    shard, thing, domain
        Shape ``(M,)``. Where it is and what it is.
    tier
        Shape ``(M,)``. Code of ``Tier``, or ``STAYS``.
    level
        Shape ``(M,)``, signed. Level of the work that runs on it, or ``NOBODY``.

    Raises
    ------
    ValueError
        When lengths disagree, there are more than 32 bits can count, or work is on what is free.
    """

    shard: NDArray[Any]
    thing: NDArray[Any]
    tier: NDArray[Any]
    level: NDArray[Any]
    domain: NDArray[Any]

    def __post_init__(self) -> None:
        freeze_table(self.shard, self.thing, self.tier, self.level, self.domain)
        if len(self) >= 2**32:
            raise ValueError(f"{len(self)} machines are more than 32 bits can count.")

    def __len__(self) -> int:
        return len(self.shard)


@dataclass(frozen=True, eq=False, slots=True)
class Counted:
    """Rows counted into offers.

    ``cell``, ``(M,)``, is the cell of each row, a number for (shard, thing, tier, level);
    ``cell_of_offer``, ``(O,)``, ascending, the cell that each offer counts; ``cells`` there are.
    """

    offers: Offers
    cell: NDArray[np.uint32]
    cell_of_offer: Ints
    cells: int


def count_rows(rows: MachineRows, shards: int, things: int, levels: int) -> Counted:
    """Count what is offered, in the order of (shard, thing, tier, level).

    Costs one pass over the rows and 4 bytes a row that stay.
    """
    # Idle, speculative, drained without work, drained of each level, staying.
    kinds = levels + 4
    cells = shards * things * kinds
    if cells >= 2**31:
        raise ValueError(f"{cells} cells are more than 31 bits can count.")
    cell = np.empty(len(rows), dtype=np.uint32)
    total = np.zeros(cells, dtype=np.int64)
    for at in _chunks(len(rows), CHUNK):
        _check(rows, at, shards, things, levels)
        code = rows.shard[at].astype(np.int32)
        code *= things
        code += rows.thing[at]
        code *= kinds
        kind = rows.level[at].astype(np.int32)
        kind += rows.tier[at]
        np.putmask(kind, rows.tier[at] == STAYS, kinds - 2)
        code += kind
        code += 1
        cell[at] = code
        total += np.bincount(code, minlength=cells)
    offered = np.flatnonzero(total)
    offered = offered[offered % kinds < kinds - 1]
    place, kind = np.divmod(offered, kinds)
    shard, thing = np.divmod(place, max(things, 1))
    of_kind = np.minimum(kind, Tier.DRAIN).astype(np.int64)
    offers = Offers(shard, thing, of_kind, kind - of_kind + NOBODY, total[offered])
    return Counted(offers, cell, offered, cells)


def _check(rows: MachineRows, at: slice, shards: int, things: int, levels: int) -> None:
    """Raise ``ValueError`` where a number is out of its range."""
    tier, level = rows.tier[at], rows.level[at]
    for name, column, end in (
        ("shard", rows.shard[at], shards),
        ("thing", rows.thing[at], things),
        ("tier", tier, STAYS + 1),
        ("level", level, levels),
    ):
        least = NOBODY if name == "level" else 0
        if column.min() < least or column.max() >= end:
            raise ValueError(f"{name} is outside of {least} .. {end - 1}.")
    if ((tier < Tier.DRAIN) & (level != NOBODY)).any():
        raise ValueError("work runs on a machine that is idle or speculative.")


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """Machines that move, ``N`` of them, by the row of their move and then by their own.

    ``machine`` is a row of the machines, ``move`` one of the moves; both ``(N,)``.
    """

    machine: Ints
    move: Ints


def name_machines(counted: Counted, moves: Moves) -> Named:
    """Take of each offer the machines with the lowest rows, the first move first."""
    left = sums(counted.cell_of_offer[moves.offer], moves.count, counted.cells)
    # Whether anything is left in one byte a cell: that much stays in the cache.
    is_open = left > 0
    found = [
        _first_of_cells(counted.cell[at], at.start, left, is_open)
        for at in _chunks(len(counted.cell), SEARCHED)
    ]
    keys = np.concatenate(found) if found else np.zeros(0, dtype=np.uint64)
    # The moves are in the order of their offers, and these in the order of their cells. Of sorted
    # runs a merge sort is quickest: 8 million keys of a fleet in the order of its shards 0.03 s.
    keys.sort(kind="stable")
    machine = (keys & np.uint64(2**32 - 1)).astype(np.int64)
    return Named(machine, np.repeat(np.arange(len(moves)), moves.count))


def _first_of_cells(
    cell: NDArray[np.uint32], start: int, left: Ints, is_open: Mask
) -> NDArray[np.uint64]:
    """Take from the rows of one chunk what is ``left`` to take of their cells, and note it there.

    Gives cell and row of each in one number, cell first.
    """
    row = np.flatnonzero(is_open[cell])
    key = cell[row].astype(np.uint64) << np.uint64(32)
    key |= (row + start).astype(np.uint64)
    key.sort()
    of = (key >> np.uint64(32)).astype(np.int64)
    first = np.flatnonzero(np.append(True, of[1:] != of[:-1])[: len(of)])
    size = np.diff(first, append=len(of))
    rank = np.arange(len(of)) - np.repeat(first, size)
    taken = key[rank < left[of]]
    seen = of[first]
    left[seen] -= np.minimum(size, left[seen])
    is_open[seen] = left[seen] > 0
    return taken


def by_domain(rows: MachineRows, named: Named) -> tuple[Ints, Ints, Ints]:
    """Count the machines of each move by domain: move, domain and count, in that order."""
    domain = rows.domain[named.machine].astype(np.int64)
    width = int(domain.max(initial=0)) + 1
    keys = named.move * width + domain
    keys.sort(kind="stable")
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    move, place = np.divmod(keys[first], width)
    return move, place, np.diff(first, append=len(keys))


def _chunks(rows: int, size: int) -> Iterator[slice]:
    return (slice(at, min(at + size, rows)) for at in range(0, rows, size))
