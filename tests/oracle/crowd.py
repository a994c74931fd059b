"""Crowded fleets from a seed: one shard, and every machine in somebody's way.

Beside ``strategies.fleets`` because of what was measured: of 600 of its fleets 7 told the first
engine from the oracle, of 1000 of these 69; and one costs 1 ms to make instead of 60, so that
thousands fit into a test. They do not shrink; the seed is the example.
"""

from dataclasses import dataclass
from math import inf, nan
from random import Random

from builders import RACK, TOPOLOGY
from strategies import INSTANCE_TYPES, PENALTIES, PRICES, PRIORITIES, RACKS, RISKS, ZONES

from models import labels
from models.machine import (
    CLUSTER_OPTIONAL,
    CLUSTER_REQUIRED,
    HOST_REFUSED,
    HOST_REQUIRED,
    RESERVABLE,
    CapacityType,
    MachineRow,
    State,
)
from models.need import Need, Spread, WhenUnsatisfiable
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

KUBELET = "kubernetes.io/kubelet-version"

_REQUIREMENTS = (
    Requirement(labels.ZONE, Operator.IN, ("z1",)),
    Requirement(labels.ZONE, Operator.NOT_IN, ("z1",)),
    Requirement(RACK, Operator.EXISTS),
    Requirement(RACK, Operator.DOES_NOT_EXIST),
    Requirement(labels.INSTANCE_TYPE, Operator.EXISTS),
    Requirement(labels.CAPACITY_TYPE, Operator.NOT_IN, ("spot",)),
    Requirement(KUBELET, Operator.GTE, ("1.30",)),
)
_PRIORITIES = (
    (0, 1, 2),
    (0, 100_001, 500_000),
    (0, 900_000, 1_000_000),
    (5,),
    PRIORITIES,
)
_STATES = (
    tuple(State),
    (State.IDLE, State.SPECULATIVE, State.CONFIGURED),
    (State.CONFIGURED,),
    (State.CONFIGURED, State.DRAINING, State.IDLE),
    (State.IDLE, State.SPECULATIVE),
    (State.SPECULATIVE, State.SPECULATIVE, State.CONFIGURED),
)
_PRICES = (PRICES, (1.8, 1.85, 1.9, 2.0), (1.0,))
_KINDS = (("plain", "gang", "spread"), ("plain",), ("gang", "gang", "plain"), ("spread", "plain"))
_SINCE = (-inf, -7_200.0, -450.0, -301.0, -120.0, -60.0, -59.0, 0.0)


def crowded(seed: int) -> FleetRows:
    """Give the fleet of a seed. One theme runs through it: its kinds of need, states, prices."""
    random = Random(seed)
    clusters = [f"c{index}" for index in range(random.choice((1, 2, 2, 3)))]
    needs = _needs(random, clusters)
    machines = _machines(random, clusters, needs)
    shadow = [random.choice(clusters)] if random.random() < 0.15 else []
    return FleetRows(
        topology=TOPOLOGY,
        shards=(ShardRow("s0", tuple(clusters)),),
        shards_given=True,
        machines=machines,
        needs=needs,
        needs_given=random.random() > 0.03,
        clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in shadow),
    )


def _needs(random: Random, clusters: list[str]) -> tuple[Need, ...]:
    kinds, priorities = random.choice(_KINDS), random.choice(_PRIORITIES)
    return tuple(
        _need(random, f"n{index}", random.choice(clusters), random.choice(kinds), priorities)
        for index in range(random.randint(1, 5))
    )


def _need(random: Random, id: str, cluster: str, kind: str, priorities: tuple[int, ...]) -> Need:
    count = random.randint(0, 4)
    spreads = random.choice((1, 1, 1, 1, 2)) if kind == "spread" else 0
    return Need(
        id=id,
        cluster=cluster,
        count=count,
        priority=random.choice(priorities),
        requirements=(random.choice(_REQUIREMENTS),) if random.random() < 0.25 else (),
        resources=random.choice(({}, {}, {"cpu": 2_000}, {"cpu": 4_000, "gpu": 1})),
        same=random.choice((labels.ZONE, RACK)) if kind == "gang" else None,
        spread=tuple(
            Spread(
                random.choice((labels.ZONE, RACK)),
                random.randint(1, 2),
                random.choice(tuple(WhenUnsatisfiable)),
            )
            for _ in range(spreads)
        ),
        interruption_penalty=random.choice(PENALTIES),
        reclamation_penalty=random.choice((0.0, *PENALTIES)),
        drain_seconds=random.choice((0.0, 30.0, 3_600.0)),
        floor=random.choice((0, 0, 0, 1, count)),
    )


@dataclass(frozen=True)
class _Theme:
    """What the machines of one fleet are drawn from."""

    states: tuple[State, ...]
    prices: tuple[float, ...]
    capacities: tuple[CapacityType, ...]
    risks: tuple[float, ...] = RISKS
    gpus: tuple[int, ...] = (0, 1, 1)


_MARKET = _Theme(
    states=(State.SPECULATIVE, State.SPECULATIVE, State.CONFIGURED),
    prices=_PRICES[1],
    capacities=(CapacityType.SPOT, CapacityType.SPOT, CapacityType.SPOT, CapacityType.ON_DEMAND),
    risks=(0.0,),
    gpus=(0,),
)
"""Spot machines that hardly differ, so that diversity and shares decide."""


def _machines(random: Random, clusters: list[str], needs: tuple[Need, ...]) -> list[MachineRow]:
    theme = _Theme(random.choice(_STATES), random.choice(_PRICES), tuple(CapacityType))
    if random.random() < 0.2:
        theme = _MARKET
    return [
        _machine(random, index, theme, clusters, needs) for index in range(random.randint(2, 13))
    ]


def _machine(
    random: Random, index: int, theme: _Theme, clusters: list[str], needs: tuple[Need, ...]
) -> MachineRow:
    state, kind = random.choice(theme.states), random.choice(theme.capacities)
    cluster = random.choice(clusters) if state in CLUSTER_REQUIRED else None
    has_host = state in HOST_REQUIRED or (state not in HOST_REFUSED and random.random() < 0.5)
    if state in CLUSTER_OPTIONAL and has_host and random.random() < 0.5:
        cluster = random.choice(clusters)
    return MachineRow(
        # Not in the order of the rows, nor in that of the numbers.
        id=f"m{7 * index % 16}",
        capacity_type=kind,
        state=state,
        provider=random.choice(("p", "p", "p", "q")),
        host_ref=f"h{index}" if has_host else None,
        cluster=cluster,
        serves=_serves(random, state, cluster, needs),
        instance_type="" if theme is _MARKET else random.choice(INSTANCE_TYPES),
        price_per_hour=random.choice(theme.prices),
        interruption_probability=random.choice(theme.risks) if kind.is_elastic else 0.0,
        resources={"cpu": random.choice((2_000, 4_000, 4_000)), "gpu": random.choice(theme.gpus)},
        labels=_labels(random),
        # 20 and 50 are of one decade.
        reclamation_penalty=random.choice((0.0, 0.0, 20.0, *PENALTIES)),
        ready_seconds=random.choice((0.0, 0.0, 0.0, 60.0, 3_600.0)),
        pinned=random.random() < 0.08,
        state_since=random.choice(_SINCE),
        reclaim_at=60.0
        if kind is CapacityType.SPOT and has_host and random.random() < 0.15
        else nan,
    )


def _labels(random: Random) -> dict[str, str]:
    rack, found = random.choice(RACKS), {labels.REGION: "e", labels.ZONE: random.choice(ZONES)}
    if rack:
        found[RACK] = rack
    if random.random() < 0.1:
        found[KUBELET] = random.choice(("1.29", "1.31"))
    return found


def _serves(random: Random, state: State, cluster: str | None, needs: tuple[Need, ...]) -> int:
    if state in (State.CONFIGURING, State.CONFIGURED):
        own = [row for row, need in enumerate(needs) if need.cluster == cluster]
        return random.choice([-1, *own, *own, *own])
    return random.choice([-1, -1, *range(len(needs))]) if state in RESERVABLE else -1
