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
    present
        Shape of the fleet's cells. Holds a machine of this shard.
    mine, shadow
        By the fleet's clusters: owned by this shard and heard from; in shadow mode. One entry more
        at the end, False, stands for no cluster (-1).
    """

    fleet: Fleet
    shard: int
    rows: Ints
    machines: Machines
    needs: Ints
    present: Mask
    mine: Mask
    shadow: Mask

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
    owned = np.zeros(len(fleet.clusters) + 1, dtype=np.bool_)
    owned[list(fleet.shards[shard].clusters)] = True
    present = np.zeros(len(fleet.cells), dtype=np.bool_)
    present[fleet.machines.cell[rows]] = True
    return Inventory(
        fleet=fleet,
        shard=shard,
        rows=rows,
        machines=fleet.machines.take(rows),
        needs=np.flatnonzero(owned[fleet.need_cluster]),
        present=present,
        mine=owned & ~np.append(fleet.silent, True),
        shadow=np.append(fleet.shadow, False),
    )


def cluster_of_need(fleet: Fleet, serves: Codes) -> Codes:
    """Give the cluster of the need in each entry; -1 where it names none."""
    of_need = np.append(fleet.need_cluster, np.int32(-1))
    cluster: Codes = of_need[np.maximum(serves, -1)]
    return cluster
