"""Seeded instances of named sizes: the shards that the hot path is measured on."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from models import labels
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread
from models.requirement import Operator, Requirement
from models.rows import FleetRows

RACK = "example.com/rack"
TOPOLOGY = (labels.REGION, labels.ZONE, RACK)
MOST_CLASSES = 400
CLASSES_A_RACK = 3
MACHINES_A_RACK_AND_CLASS = 15
ZONES = 3
CLASSES_A_NEED = 80
GANG_SIZES = (4, 8, 16, 32)
PRIORITIES = (0, 1_000, 100_000, 500_000, 900_000, 1_000_000)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a shard is."""

    machines: int = 500_000
    classes: int = MOST_CLASSES
    clusters: int = 100
    needs_a_cluster: int = 15


def cold_shard(size: Size, seed: int = 0) -> FleetRows:
    """Give a shard in which nobody holds anything yet.

    Idle bare metal and reserved machines, speculative on-demand and spot ones, a quarter each;
    every eighth class has GPUs, which are scarce. Each need asks for 80 of the classes by name,
    all together for 80 % of the machines; one in ten is spread over the zones, one in twenty is a
    gang in a rack.
    """
    chance = np.random.default_rng(seed)
    return FleetRows(
        name=f"cold-{size.machines}",
        topology=TOPOLOGY,
        machines=[_class_row(k, size, chance) for k in range(size.classes)],
        needs=tuple(
            _need(cluster, number, size, chance)
            for cluster in range(size.clusters)
            for number in range(size.needs_a_cluster)
        ),
        needs_given=True,
    )


def _class_row(k: int, size: Size, chance: np.random.Generator) -> MachineRow:
    """Give all machines of one class; they stand in three zones, three classes to a rack."""
    capacity = list(CapacityType)[k % 4]
    fixed = not capacity.is_elastic
    count = size.machines // size.classes
    has_gpus = k % 8 == 0
    return MachineRow(
        id=f"m{k:03d}-{{}}",
        count=count,
        is_pattern=True,
        capacity_type=capacity,
        state=State.IDLE if fixed else State.SPECULATIVE,
        host_ref=f"h{k:03d}-{{}}" if fixed else None,
        instance_type=_type(k),
        price_per_hour=0.0 if fixed else round(float(chance.uniform(0.1, 30.0)), 4),
        interruption_probability=0.001 if capacity is CapacityType.SPOT else 0.0,
        resources={"cpu": int(chance.choice([8, 16, 32, 64])) * 1000, "gpu": 8 * has_gpus},
        labels={
            labels.ZONE: f"z{{//{-(-count // ZONES)}}}",
            RACK: f"r{k // CLASSES_A_RACK}-{{//{MACHINES_A_RACK_AND_CLASS}}}",
        },
        reclamation_penalty=float(chance.choice([0.0, 5.0, 500.0])),
        ready_seconds=60.0,
    )


@cache
def _type(k: int) -> str:
    return f"type-{k:03d}"


def _need(cluster: int, number: int, size: Size, chance: np.random.Generator) -> Need:
    kind = (cluster * size.needs_a_cluster + number) % 20
    types = chance.choice(size.classes, min(CLASSES_A_NEED, size.classes), replace=False)
    share = 0.8 * size.machines / (size.clusters * size.needs_a_cluster)
    is_gang, is_spread = kind == 0, kind in (1, 2)
    return Need(
        id=f"n{number:02d}",
        cluster=f"c{cluster:03d}",
        name=f"c{cluster:03d}/n{number:02d}",
        priority=int(chance.choice(PRIORITIES)),
        count=int(chance.choice(GANG_SIZES)) if is_gang else int(chance.uniform(0.5, 1.5) * share),
        requirements=(
            Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(_type(k) for k in sorted(types))),
        ),
        resources={"cpu": int(chance.choice([1, 2, 4])) * 1000},
        same=RACK if is_gang else None,
        spread=(Spread(labels.ZONE),) if is_spread else (),
        interruption_penalty=float(chance.choice([0.0, 10.0, 1000.0])),
    )
