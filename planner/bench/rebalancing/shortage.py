"""Why a need is short, asked of a fleet of 100 million machines that come as counted parcels.

What is timed is all that ``explain`` asks once a fleet is counted; counting it is not in it, nor
is a plan, nor are tries.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from models import labels
from models.columns import fleet_of
from models.fleet import Fleet, Ints
from models.machine import CapacityType, MachineRow
from models.need import Need, Spread
from models.requirement import Operator, Requirement
from models.rows import FleetRows, ShardRow
from planner.bench.instances import RACK, TOPOLOGY
from planner.bench.run import Run
from planner.bench.sample import Sample, measure
from rebalancer.explain.change import ChangeKind
from rebalancer.explain.parcels import Doing, Parcels
from rebalancer.explain.scene import scene
from rebalancer.explain.short import Short, why_short
from rebalancer.transfer_rules import TransferRules

PRIORITIES = (0, 100_000, 250_000, 500_000, 1_000_000)
TYPES_A_NEED = 36
CLASSES_A_RACK = 3
SHARE_FREE = 0.05
"""Of the machines of a cell, half of them slots; as many stay as they are, the rest runs."""


@dataclass(frozen=True, slots=True)
class ShortageSize:
    """How large an instance is; ``needs`` are those of a shard, half of them short."""

    machines: int
    shards: int
    classes: int
    racks: int
    needs: int


SIZES = {
    "small": ShortageSize(100_000, 4, 24, 40, 10),
    "fleet": ShortageSize(100_000_000, 200, 400, 40_000, 100),
}
"""By name."""

KINDS = ("plain", "gang", "spread")


def shortage_samples(run: Run) -> Iterator[Sample]:
    """Explain a plain need, a gang and a need that is spread, in a fleet of each size."""
    for name, size in SIZES.items():
        run.say(f"shortage, {name}: {size.machines} machines")
        fleet, parcels, short = instance(size)
        for kind in KINDS:
            row = next(i for i, need in enumerate(fleet.needs) if need.id == f"asked-{kind}")

            lacks = fleet.needs[row].count
            ask = partial(_explained, fleet, parcels, row, lacks, short)
            timing, found = measure(ask, max(1, run.repeat // 10))
            yield Sample(
                f"shortage of a {kind} need, {name}",
                size.machines,
                len(fleet.needs),
                timing,
                found={
                    "parcels": len(parcels),
                    "in conflict": 0 if found.conflict is None else len(found.conflict.terms),
                    "changes": len(found.changes),
                    "kinds": _kinds(found, int(short.sum())),
                },
            )


def _kinds(found: Short, most: int) -> str:
    """Tell which kinds of changes were found; none adds more than all needs together lack.

    This is that no machine is counted twice: of the fleet no need was given any in this cycle.
    """
    counts = Counter(change.kind for change in found.changes)
    for kind in (ChangeKind.FEWEST_MACHINES, ChangeKind.WEAKEST_REQUIREMENT):
        if not counts[kind]:
            raise ValueError(f"no change of the kind {kind} was found.")
    for change in found.changes:
        if change.machines_added > most:
            raise ValueError(f"{change.machines_added} machines are added where {most} are short.")
    return " ".join(f"{kind}:{number}" for kind, number in counts.items())


def _explained(fleet: Fleet, parcels: Parcels, row: int, lacks: int, short: Ints) -> Short:
    return why_short(scene(fleet, parcels, row, lacks, short, TransferRules()))


def instance(size: ShortageSize, seed: int = 0) -> tuple[Fleet, Parcels, Ints]:
    """Give a fleet with a machine a cell, the parcels for all others, and who is short of what."""
    chance = np.random.default_rng(seed)
    fleet = fleet_of(_rows(size, chance))
    owner = fleet.need_cluster.astype(np.int64)
    wants = np.array([need.count for need in fleet.needs], dtype=np.int64)
    is_short = np.array([need.id.startswith(("short", "asked")) for need in fleet.needs])
    return fleet, _parcels(size, fleet, chance, owner, is_short), np.where(is_short, wants, 0)


def _rows(size: ShortageSize, chance: np.random.Generator) -> FleetRows:
    """Give racks of three classes each, as many in every shard, and needs of every priority."""
    capacity = list(CapacityType)
    prices = np.round(chance.uniform(0.1, 30.0, size.classes), 4).tolist()
    cpus = chance.choice([8, 16, 32, 64], size.classes).tolist()
    machines = []
    for rack in range(size.racks):
        shard = rack % size.shards
        for k in chance.choice(size.classes, CLASSES_A_RACK, replace=False).tolist():
            kind = capacity[k % len(capacity)]
            machines.append(
                MachineRow(
                    id=f"m{rack}-{k}",
                    capacity_type=kind,
                    shard=f"s{shard:03d}",
                    instance_type=f"type-{k:03d}",
                    price_per_hour=prices[k],
                    interruption_probability=0.001 if kind is CapacityType.SPOT else 0.0,
                    resources={"cpu": cpus[k] * 1000, "gpu": 8 * (k % 8 == 0)},
                    labels={labels.ZONE: f"z{shard % 3}", RACK: f"r{rack}"},
                )
            )
    needs = [
        _need(size, shard, number, chance)
        for shard in range(size.shards)
        for number in range(size.needs)
    ]
    return FleetRows(
        topology=TOPOLOGY,
        shards=tuple(ShardRow(f"s{shard:03d}", (f"c{shard:03d}",)) for shard in range(size.shards)),
        shards_given=True,
        machines=machines,
        needs=(*needs, *_asked(size, chance)),
        needs_given=True,
    )


def _need(size: ShortageSize, shard: int, number: int, chance: np.random.Generator) -> Need:
    """Give a need of some types: every second is short."""
    name = f"{'short' if number % 2 else 'runs'}-{number}"
    types = chance.choice(size.classes, min(TYPES_A_NEED, size.classes), replace=False)
    return Need(
        id=name,
        cluster=f"c{shard:03d}",
        name=f"c{shard:03d}/{name}",
        priority=PRIORITIES[number // 2 % len(PRIORITIES)],
        count=int(chance.integers(1, 400)),
        requirements=(_types(types),),
        resources={"cpu": 4000},
    )


def _types(types: Ints) -> Requirement:
    named = tuple(f"type-{k:03d}" for k in sorted(types.tolist()))
    return Requirement(labels.INSTANCE_TYPE, Operator.IN, named)


def _asked(size: ShortageSize, chance: np.random.Generator) -> list[Need]:
    """Give the needs that are asked about: eight things are asked of a machine."""
    types = chance.choice(size.classes, min(TYPES_A_NEED, size.classes), replace=False)
    plain = Need(
        id="asked-plain",
        cluster="c000",
        count=size.machines // 100,
        priority=250_000,
        requirements=(
            _types(types),
            Requirement(labels.ZONE, Operator.IN, ("z0",)),
            Requirement(labels.CAPACITY_TYPE, Operator.NOT_IN, ("spot",)),
            Requirement(labels.PROVIDER, Operator.IN, ("default",)),
            Requirement(RACK, Operator.EXISTS),
        ),
        resources={"cpu": 32_000, "gpu": 8},
    )
    gang = replace(
        plain, id="asked-gang", name="asked-gang", count=size.machines // size.racks, same=RACK
    )
    spread = replace(plain, id="asked-spread", name="asked-spread", spread=(Spread(RACK, 2),))
    return [plain, gang, spread]


def _parcels(
    size: ShortageSize, fleet: Fleet, chance: np.random.Generator, owner: Ints, is_short: Ints
) -> Parcels:
    """Share the machines of each cell out among what they may do."""
    cells, machines = len(fleet.cells), fleet.machines
    shard = np.empty(cells, dtype=np.int64)
    shard[machines.cell] = machines.shard
    doing = [Doing.IDLE, Doing.NEW, Doing.STAYS, *[Doing.RUNS] * len(PRIORITIES)]
    busy = (1 - 2 * SHARE_FREE) * chance.dirichlet([4, 3, 2, 2, 1], cells)
    shares = np.column_stack(
        [np.tile([SHARE_FREE / 2, SHARE_FREE / 2, SHARE_FREE], (cells, 1)), busy]
    )
    count = np.floor(shares * (size.machines / cells)).astype(np.int64)
    count[:, -1] += size.machines // cells - count.sum(axis=1)
    holder = np.full((cells, len(doing)), -1, dtype=np.int64)
    for level, priority in enumerate(PRIORITIES):
        held = np.zeros(size.shards, dtype=np.int64)
        for row, need in enumerate(fleet.needs):
            if need.priority == priority and not is_short[row]:
                held[owner[row]] = row
        holder[:, level + len(doing) - len(PRIORITIES)] = held[shard]
    width = len(doing)
    return Parcels(
        cell=np.repeat(np.arange(cells, dtype=np.int64), width),
        shard=np.repeat(shard, width),
        doing=np.tile(np.array(doing, dtype=np.int64), cells),
        holder=holder.ravel(),
        count=count.ravel(),
        loss_usd=np.zeros(count.size),
    )
