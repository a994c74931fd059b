"""One shard's slice of a fleet, with what every phase asks of it."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Codes, Fleet, Ints, Machines, Mask, Reals
from models.machine import State


@dataclass(frozen=True, eq=False, slots=True)
class Inventory:
    """The machines and needs of one shard.

    Attributes
    ----------
    rows
        Shape ``(m,)``. Row numbers in the fleet's machines, ascending, so by class and id.
    machines
        The columns of these rows. Engines number machines by their place here.
    needs
        Row numbers in the fleet's needs, ascending.
    hosted
        Shape ``(m,)``. Has a host.
    mine
        Shape of the fleet's clusters: owned by this shard and heard from.
    """

    fleet: Fleet
    shard: int
    rows: Ints
    machines: Machines
    needs: Ints
    hosted: Mask
    mine: Mask

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def priorities(self) -> Ints:
        """Give the priority of every need of the fleet, shape ``(N,)``."""
        return np.array([need.priority for need in self.fleet.needs], dtype=np.int64)

    def price_per_hour(self) -> Reals:
        """Give the price of each machine, NaN where unknown."""
        price: Reals = self.fleet.numbers.price_per_hour[self.machines.class_index]
        return price

    def has_state(self, state: State) -> Mask:
        """Mark the machines in a state, those with a reclaim notice left out."""
        mask: Mask = (self.machines.state == state) & np.isnan(self.machines.reclaim_at)
        return mask


def inventory_of(fleet: Fleet, shard: int) -> Inventory:
    """Cut a shard's slice out of the fleet."""
    rows = np.flatnonzero(fleet.machines.shard == shard)
    mine = np.zeros(len(fleet.clusters), dtype=np.bool_)
    mine[list(fleet.shards[shard].clusters)] = True
    needs = np.flatnonzero(mine[fleet.need_cluster]) if len(fleet.needs) else np.zeros(0, np.int64)
    machines = fleet.machines.take(rows)
    hosted = np.fromiter((ref is not None for ref in machines.host_refs), np.bool_, len(rows))
    return Inventory(
        fleet=fleet,
        shard=shard,
        rows=rows,
        machines=machines,
        needs=needs,
        hosted=hosted,
        mine=mine & ~fleet.silent,
    )


def cluster_of_need(fleet: Fleet, serves: Codes) -> Codes:
    """Give the cluster of the need in each entry; -1 where it names none."""
    if not len(fleet.needs):
        return np.full(serves.shape, -1, dtype=np.int32)
    cluster: Codes = np.where(serves >= 0, fleet.need_cluster[serves], -1).astype(np.int32)
    return cluster
