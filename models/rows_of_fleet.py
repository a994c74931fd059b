"""From columns back to rows: a fleet as a document that can be edited and read again."""

import numpy as np

from models.fleet import Fleet
from models.machine import MachineRow, State
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow


def rows_of(fleet: Fleet) -> FleetRows:
    """Give a row for each machine; ``fleet_of`` makes the same fleet of them.

    Labels that no need names are not in the columns, and so not in the rows.
    """
    shadow = [name for name, is_so in zip(fleet.clusters, fleet.shadow, strict=True) if is_so]
    return FleetRows(
        name=fleet.name,
        topology=fleet.topology,
        shards=tuple(
            ShardRow(shard.name, tuple(fleet.clusters[row] for row in shard.clusters))
            for shard in fleet.shards
        ),
        shards_given=True,
        machines=[_machine(fleet, row) for row in range(len(fleet.machines))],
        needs=fleet.needs,
        needs_given=not bool(np.any(fleet.silent)),
        clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in shadow),
    )


def _machine(fleet: Fleet, row: int) -> MachineRow:
    machines = fleet.machines
    of_class = fleet.classes[int(machines.class_index[row])]
    cluster = int(machines.cluster[row])
    return MachineRow(
        id=machines.ids[row],
        capacity_type=of_class.capacity_type,
        shard=fleet.shards[int(machines.shard[row])].name,
        state=State(int(machines.state[row])),
        provider=of_class.provider,
        host_ref=machines.host_refs[row],
        cluster=fleet.clusters[cluster] if cluster >= 0 else None,
        serves=int(machines.serves[row]),
        instance_type=of_class.instance_type,
        price_per_hour=of_class.price_per_hour,
        interruption_probability=of_class.interruption_probability,
        resources=_amounts(fleet, int(machines.class_index[row])),
        labels=labels_of(fleet, int(machines.cell[row])),
        reclamation_penalty=float(machines.reclamation_penalty[row]),
        ready_seconds=float(machines.ready_seconds[row]),
        pinned=bool(machines.pinned[row]),
        state_since=float(machines.state_since[row]),
        reclaim_at=float(machines.reclaim_at[row]),
    )


def row_like(fleet: Fleet, cell: int, id: str, shard: str) -> MachineRow:
    """Give an idle machine like those of a cell."""
    index = int(fleet.cells.class_index[cell])
    of_class = fleet.classes[index]
    return MachineRow(
        id=id,
        capacity_type=of_class.capacity_type,
        shard=shard,
        state=State.IDLE,
        provider=of_class.provider,
        host_ref=f"host-{id}",
        instance_type=of_class.instance_type,
        price_per_hour=of_class.price_per_hour,
        interruption_probability=of_class.interruption_probability,
        resources=_amounts(fleet, index),
        labels=labels_of(fleet, cell),
    )


def labels_of(fleet: Fleet, cell: int) -> dict[str, str]:
    """Give the labels of the machines of a cell: its levels, then those of its class."""
    codes = fleet.cells.level_codes[cell].tolist()
    carried = {
        key: values[code]
        for key, values, code in zip(fleet.levels, fleet.level_values, codes, strict=True)
        if code >= 0
    }
    of_class = fleet.classes[int(fleet.cells.class_index[cell])]
    own = zip(fleet.class_labels, of_class.labels, strict=True)
    return carried | {key: value for key, value in own if value is not None}


def _amounts(fleet: Fleet, index: int) -> dict[str, int]:
    return dict(zip(fleet.resources, fleet.classes[index].resources, strict=True))
