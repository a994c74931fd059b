"""Short words for machines, needs and rows, so that a test shows only what it is about."""

from collections.abc import Sequence
from math import nan

from models import labels
from models.builder import FleetBuilder
from models.fleet import Fleet
from models.machine import HOST_REQUIRED, CapacityType, MachineRow, State
from models.need import Need, Spread
from models.requirement import Operator, Requirement

RACK = "example.com/rack"
TOPOLOGY = (labels.REGION, labels.ZONE, RACK)


def fleet() -> FleetBuilder:
    """Give a builder whose topology has racks."""
    return FleetBuilder(topology=TOPOLOGY)


def machine(
    id: str,
    state: State = State.IDLE,
    *,
    cluster: str | None = None,
    shard: str = "s0",
    capacity: CapacityType = CapacityType.BARE_METAL,
    zone: str | None = "z1",
    rack: str | None = None,
    instance_type: str = "",
    gpu: int = 8,
    price: float = 0.0,
    risk: float = 0.0,
    penalty: float = 0.0,
    pinned: bool = False,
    ready_seconds: float = 0.0,
    reclaim_at: float = nan,
) -> MachineRow:
    """Give a row of an inventory; it has a host where its state needs one."""
    places = {labels.ZONE: zone, RACK: rack}
    return MachineRow(
        id=id,
        capacity_type=capacity,
        shard=shard,
        state=state,
        host_ref=f"host-{id}" if state in HOST_REQUIRED else None,
        cluster=cluster,
        instance_type=instance_type,
        price_per_hour=price,
        interruption_probability=risk,
        resources={"gpu": gpu},
        labels={key: value for key, value in places.items() if value is not None},
        reclamation_penalty=penalty,
        ready_seconds=ready_seconds,
        pinned=pinned,
        reclaim_at=reclaim_at,
    )


def need(
    name: str,
    count: int = 1,
    priority: int = 0,
    *,
    gpu: int = 0,
    zones: Sequence[str] = (),
    same: str | None = None,
    spread: str | None = None,
    skew: int = 1,
    floor: int = 0,
    requirements: Sequence[Requirement] = (),
) -> Need:
    """Give a need; ``name`` is ``cluster/id``, ``zones`` those it allows."""
    cluster, _, id = name.partition("/")
    zoned = [Requirement(labels.ZONE, Operator.IN, tuple(zones))] if zones else []
    return Need(
        id=id,
        cluster=cluster,
        count=count,
        priority=priority,
        requirements=(*zoned, *requirements),
        resources={"gpu": gpu} if gpu else {},
        same=same,
        spread=(Spread(spread, skew),) if spread else (),
        floor=floor,
    )


def row_of(fleet: Fleet, id: str) -> int:
    """Give the row of a machine."""
    return fleet.machines.ids.tolist().index(id)


def need_row(fleet: Fleet, name: str) -> int:
    """Give the row of a need named ``cluster/id``."""
    return [f"{need.cluster}/{need.id}" for need in fleet.needs].index(name)
