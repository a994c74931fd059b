"""Tiny random fleets whose needs are short, and a planner in this process to try changes with."""

import random
from dataclasses import replace

from builders import RACK, TOPOLOGY

from hotpath.standing import standing_of
from models import labels
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread
from models.plan import Move
from models.requirement import Operator, Requirement
from models.rows import FleetRows, ShardRow
from models.settings import Settings, settings_from
from models.standing import Standing
from planner.deciding import decide_shards
from rebalancer.explain.apply import min_gap_of
from rebalancer.explain.change import Change
from rebalancer.explain.scene import Scene, scene_of
from rebalancer.explain.short import lacks_for_good
from rebalancer.limits import Limits, no_clock
from rebalancer.settings import goals_from, rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import solve

SETTINGS = settings_from({"rebalance": {"workers": 1}})
KINDS = {
    "cpu": (CapacityType.BARE_METAL, 0.0, 0.0, {"cpu": 8000}),
    "gpu": (CapacityType.RESERVED, 3.0, 0.0, {"cpu": 16000, "gpu": 8}),
    "cheap": (CapacityType.SPOT, 1.0, 0.1, {"cpu": 16000}),
    "dear": (CapacityType.ON_DEMAND, 5.0, 0.0, {"cpu": 32000, "gpu": 4}),
}
SHAPES = ("plain", "gang", "spread", "floor")


def tiny_fleet(number: int, shape: str = "plain", shards: int = 1) -> FleetRows:
    """Give a fleet of two to four kinds of machines and two to four needs; c0/n0 may be short."""
    chance = random.Random(f"{number} {shape} {shards}")
    names = [f"s{at}" for at in range(shards)]
    clusters = [f"c{at}" for at in range(max(2, shards))]
    owner = {name: names[at % shards] for at, name in enumerate(clusters)}
    needs = [_need(chance, "n0", "c0", shape)]
    for at in range(1, chance.randint(2, 4)):
        other = _need(chance, f"n{at}", chance.choice(clusters), "plain")
        needs.append(replace(other, count=chance.randint(1, 3)))
    machines = []
    for kind in chance.sample(sorted(KINDS), chance.randint(2, 4)):
        for _ in range(chance.randint(1, 2)):
            machines.append(_row(chance, f"m{len(machines)}-{{}}", kind, owner, needs))
    return FleetRows(
        topology=TOPOLOGY,
        shards=tuple(
            ShardRow(name, tuple(c for c in clusters if owner[c] == name)) for name in names
        ),
        shards_given=True,
        machines=machines,
        needs=tuple(needs),
        needs_given=True,
    )


def _need(chance: random.Random, id: str, cluster: str, shape: str) -> Need:
    count = chance.randint(2, 4)
    asked = [
        Requirement(labels.ZONE, Operator.IN, (chance.choice(("z1", "z2")),)),
        Requirement(labels.CAPACITY_TYPE, Operator.NOT_IN, ("spot",)),
        Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(chance.sample(sorted(KINDS), 2))),
    ]
    return Need(
        id=id,
        cluster=cluster,
        count=count,
        priority=chance.choice((0, 50_000, 100_000, 500_000)),
        requirements=tuple(chance.sample(asked, chance.randint(0, 2))),
        resources=chance.choice(({}, {"cpu": 16000}, {"gpu": 4})),
        same=RACK if shape == "gang" else None,
        spread=(Spread(labels.ZONE, chance.randint(1, 2)),) if shape == "spread" else (),
        floor=chance.randint(1, count) if shape == "floor" else 0,
    )


def _row(
    chance: random.Random, id: str, kind: str, owner: dict[str, str], needs: list[Need]
) -> MachineRow:
    capacity, price, risk, resources = KINDS[kind]
    cluster = chance.choice(sorted(owner))
    holders = [at for at, need in enumerate(needs) if need.cluster == cluster]
    state = chance.choice((State.IDLE, State.CONFIGURED, State.SPECULATIVE))
    runs, new = state is State.CONFIGURED, state is State.SPECULATIVE
    zone = chance.choice(("z1", "z2"))
    return MachineRow(
        id=id,
        capacity_type=capacity,
        count=chance.randint(1, 2),
        is_pattern=True,
        shard=owner[cluster],
        state=state,
        host_ref=None if new else f"host-{id}",
        cluster=cluster if runs else None,
        serves=chance.choice(holders) if runs and holders else -1,
        instance_type=kind,
        price_per_hour=price,
        interruption_probability=risk,
        resources=resources,
        labels={labels.ZONE: zone, RACK: f"{zone}-{chance.choice('ab')}"},
    )


def ended(rows: FleetRows, settings: Settings = SETTINGS) -> tuple[Standing, tuple[Move, ...]]:
    """Plan as ``plan_fleet`` does, in this process: how things stand, and what moves."""
    fleet = fleet_of(rows)
    decided = decide_shards(fleet, settings, range(len(fleet.shards)))
    standing = standing_of(fleet, decided)
    snapshot = snapshot_of(standing, rules_from(settings))
    limits = Limits(None, 2.0, 1, 0, no_clock)
    return standing, solve(snapshot, goals_from(settings), limits).moves


def scene_in(rows: FleetRows, change: Change | None = None) -> Scene:
    """Give how c0/n0 stands at the end of a plan."""
    gap = None if change is None else min_gap_of(change)
    settings = SETTINGS
    if gap is not None:
        settings = settings_from({"rebalance": {"workers": 1, "min_gap": gap}})
    standing, moves = ended(rows, settings)
    return scene_of(standing, moves, row_of(standing.fleet), rules_from(settings))


def lacks(rows: FleetRows, change: Change | None = None) -> int:
    """Give how many machines c0/n0 lacks that no later cycle will give it either."""
    return lacks_for_good(scene_in(rows, change))


def row_of(fleet: Fleet) -> int:
    return next(i for i, need in enumerate(fleet.needs) if (need.cluster, need.id) == ("c0", "n0"))
