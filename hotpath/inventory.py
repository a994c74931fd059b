"""One shard's slice of a fleet, with what every phase asks of it."""

from dataclasses import dataclass

import numpy as np

from hotpath.terms import Terms, terms_of
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
    price_per_hour
        Shape ``(m,)``. USD, NaN where unknown.
    in_use
        Share, 0 to 1, of the machines with a host that a cluster holds; 0 without any.
    needs
        Row numbers in the fleet's needs, ascending.
    terms
        Of all needs of the fleet.
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
    price_per_hour: Reals
    in_use: float
    needs: Ints
    terms: Terms
    present: Mask
    mine: Mask
    shadow: Mask

    def __len__(self) -> int:
        return len(self.rows)

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
    machines = fleet.machines.take(rows)
    hosted = machines.hosted
    hosts = int(np.count_nonzero(hosted))
    return Inventory(
        fleet=fleet,
        shard=shard,
        rows=rows,
        machines=machines,
        price_per_hour=fleet.numbers.price_per_hour[machines.class_index],
        in_use=int(np.count_nonzero(hosted & (machines.cluster >= 0))) / max(hosts, 1),
        needs=np.flatnonzero(owned[fleet.need_cluster]),
        terms=terms_of(fleet.needs),
        present=present,
        mine=owned & ~np.append(fleet.silent, True),
        shadow=np.append(fleet.shadow, False),
    )


def cluster_of_need(fleet: Fleet, serves: Codes) -> Codes:
    """Give the cluster of the need in each entry; -1 where it names none."""
    of_need = np.append(fleet.need_cluster, np.int32(-1))
    cluster: Codes = of_need[np.maximum(serves, -1)]
    return cluster
