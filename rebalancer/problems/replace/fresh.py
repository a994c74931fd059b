"""By what machines are replaced: what is free, of a known price, and asked for by nobody short."""

from dataclasses import dataclass, field

import numpy as np

from models.distinct import alike, sums
from models.fleet import Ints, Mask, Reals
from models.machine import State
from models.standing import Standing
from rebalancer.sites import Sites


@dataclass(frozen=True, eq=False, slots=True)
class Fresh:
    """Groups of free machines, ``F`` of them, sorted by (shard, class, new, ready, zone, site).

    Attributes
    ----------
    shard, machine_class, cell
        Shape ``(F,)``. ``cell`` stands for all of the group: they differ only in what no need that
        may climb asks about.
    kind
        Shape ``(F,)``. Row of ``Sites.serves``: whom they may serve.
    is_new, ready_seconds
        Shape ``(F,)``. They have to be created, and when they are ready; 0 for what has a host.
    zone
        Shape ``(F,)``. Zone of spot machines, -1 for others and where there is none.
    lot
        Shape ``(F,)``. Number of a *lot*: groups alike but for their site, which plain needs cannot
        tell apart.
    machines, count
        For each group the row numbers, ascending; and how many.
    lot_first, lot_count
        Shape ``(L,)``. A group of each lot, and the machines of all its groups.
    """

    shard: Ints
    machine_class: Ints
    cell: Ints
    kind: Ints
    is_new: Mask
    ready_seconds: Reals
    zone: Ints
    lot: Ints
    machines: tuple[Ints, ...]
    count: Ints = field(init=False)
    lot_first: Ints = field(init=False)
    lot_count: Ints = field(init=False)

    def __post_init__(self) -> None:
        count = np.array([len(rows) for rows in self.machines], dtype=np.int64)
        _, first = np.unique(self.lot, return_index=True)
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "lot_first", first.astype(np.int64))
        object.__setattr__(self, "lot_count", sums(self.lot, count, len(first)))

    def __len__(self) -> int:
        return len(self.machines)


def fresh_of(standing: Standing, sites: Sites, free: Mask) -> Fresh:
    """Group the machines ``free``, ``(M,)``."""
    fleet = standing.fleet
    rows = np.flatnonzero(free)
    machines = fleet.machines.take(rows)
    is_new = machines.state == State.SPECULATIVE
    ready = np.where(is_new, machines.ready_seconds, 0.0)
    is_spot = fleet.numbers.is_spot[machines.class_index]
    zone = np.where(is_spot, fleet.zone_codes()[machines.cell], -1).astype(np.int64)
    kind, site = sites.kind[machines.cell], sites.of_cell[machines.cell]
    columns = [machines.shard, machines.class_index, is_new, ready, zone, kind]
    lot = np.zeros(len(rows), dtype=np.int64)
    for number, group in enumerate(alike(columns, len(rows))):
        lot[group] = number
    groups = alike([lot, site], len(rows))
    first = np.array([group[0] for group in groups], dtype=np.int64)
    return Fresh(
        machines.shard[first].astype(np.int64),
        machines.class_index[first].astype(np.int64),
        machines.cell[first].astype(np.int64),
        kind[first],
        is_new[first],
        ready[first],
        zone[first],
        lot[first],
        tuple(np.sort(rows[group]) for group in groups),
    )
