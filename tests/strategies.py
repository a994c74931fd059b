"""Hypothesis strategies: small random fleets that keep every rule of a sound inventory."""

from dataclasses import dataclass, replace
from math import inf, nan

from builders import RACK, TOPOLOGY
from hypothesis import strategies as st

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

ZONES = ("z1", "z2")
RACKS = ("r1", "r2", "")
INSTANCE_TYPES = ("big", "small", "")
PRIORITIES = (-5, 0, 100_000, 100_001, 500_000, 900_000, 1_000_000, 2**31 - 1)
"""Ties are likely, and so are gaps on both sides of every step of the grace."""

PENALTIES = (0.0, 1.0, 50.0, 5_000.0)
PRICES = (0.0, 1.8, 2.0, 6.0, nan)
RISKS = (0.0, 0.0, 0.1, 1.0)


@dataclass(frozen=True)
class Clusters:
    """Shards (one may own no cluster), the shard that owns each cluster, and all needs."""

    shards: list[str]
    shard_of: dict[str, str]
    needs: tuple[Need, ...]

    def serves(self, cluster: str | None, shard: str | None) -> list[int]:
        """Give the needs of a cluster, or of any cluster of a shard."""
        return [
            row
            for row, need in enumerate(self.needs)
            if need.cluster == cluster or self.shard_of[need.cluster] == shard
        ]


@st.composite
def fleets(draw: st.DrawFn, max_machines: int = 12, max_needs: int = 5) -> FleetRows:
    """Draw a fleet of one to three shards; ``models.audit.audit_fleet`` finds nothing in it."""
    shards = [f"s{index}" for index in range(draw(st.integers(1, 3)))]
    names = [f"c{index}" for index in range(draw(st.integers(1, 4)))]
    shard_of = {name: draw(st.sampled_from(shards)) for name in names}
    count = draw(st.integers(0, max_needs))
    needs = tuple(draw(needs_of(f"n{index}", names)) for index in range(count))
    clusters = Clusters(shards, shard_of, needs)
    count = draw(st.integers(0, max_machines))
    # One id in two digits, so that its order by code point is not the order of the rows.
    machines = [draw(machines_of(f"m{7 * index % 16}", clusters)) for index in range(count)]
    shadow = draw(st.lists(st.sampled_from(names), max_size=1))
    return FleetRows(
        topology=TOPOLOGY,
        shards=tuple(
            ShardRow(shard, tuple(name for name in names if shard_of[name] == shard))
            for shard in shards
        ),
        shards_given=True,
        machines=machines,
        needs=needs,
        needs_given=draw(st.sampled_from((True, True, True, False))),
        clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in shadow),
    )


@st.composite
def needs_of(draw: st.DrawFn, id: str, clusters: list[str]) -> Need:
    """Draw a need: one in three a gang, one in three spread, some with a floor."""
    kind = draw(st.sampled_from(("plain", "gang", "spread")))
    count = draw(st.integers(0, 4))
    return Need(
        id=id,
        cluster=draw(st.sampled_from(clusters)),
        count=count,
        priority=draw(st.sampled_from(PRIORITIES)),
        requirements=tuple(draw(st.lists(requirements(), max_size=2, unique=True))),
        resources=draw(st.sampled_from(({}, {"cpu": 2_000}, {"cpu": 4_000, "gpu": 1}))),
        same=draw(st.sampled_from((labels.ZONE, RACK))) if kind == "gang" else None,
        spread=(draw(spreads()),) if kind == "spread" else (),
        interruption_penalty=draw(st.sampled_from(PENALTIES)),
        reclamation_penalty=draw(st.sampled_from(PENALTIES)),
        drain_seconds=draw(st.sampled_from((0.0, 30.0, 3_600.0))),
        floor=draw(st.sampled_from((0, 0, 1, count))),
    )


def requirements() -> st.SearchStrategy[Requirement]:
    """Draw a requirement that some machine may meet; one of them only the bootstrap makes true."""
    return st.one_of(
        st.builds(
            Requirement,
            st.just(labels.ZONE),
            st.sampled_from((Operator.IN, Operator.NOT_IN)),
            st.sampled_from((("z1",), ("z2",), ("z1", "z2"))),
        ),
        st.builds(
            Requirement,
            st.sampled_from((RACK, labels.INSTANCE_TYPE)),
            st.sampled_from((Operator.EXISTS, Operator.DOES_NOT_EXIST)),
        ),
        st.just(Requirement(labels.CAPACITY_TYPE, Operator.NOT_IN, ("spot",))),
        st.just(Requirement("kubernetes.io/kubelet-version", Operator.GTE, ("1.30",))),
    )


def spreads() -> st.SearchStrategy[Spread]:
    """Draw a spread, hard or soft."""
    return st.builds(
        Spread,
        st.sampled_from((labels.ZONE, RACK)),
        st.integers(1, 2),
        st.sampled_from(WhenUnsatisfiable),
    )


@st.composite
def machines_of(draw: st.DrawFn, id: str, clusters: Clusters) -> MachineRow:
    """Draw a machine in any of the eight states, with the host and cluster its state asks for."""
    shard = draw(st.sampled_from(clusters.shards))
    owned = [name for name, owner in clusters.shard_of.items() if owner == shard]
    state = draw(st.sampled_from([s for s in State if owned or s not in CLUSTER_REQUIRED]))
    has_host = state in HOST_REQUIRED or (state not in HOST_REFUSED and draw(st.booleans()))
    cluster = None
    if state in CLUSTER_REQUIRED:
        cluster = draw(st.sampled_from(owned))
    elif state in CLUSTER_OPTIONAL and has_host:
        cluster = draw(st.sampled_from([None, *owned]))
    kind = draw(st.sampled_from(CapacityType))
    zone, rack = draw(st.sampled_from(ZONES)), draw(st.sampled_from(RACKS))
    return MachineRow(
        id=id,
        capacity_type=kind,
        shard=shard,
        state=state,
        provider=draw(st.sampled_from(("p", "q"))),
        host_ref=f"host-{id}" if has_host else None,
        cluster=cluster,
        serves=draw(_serves(state, cluster, shard, clusters)),
        instance_type=draw(st.sampled_from(INSTANCE_TYPES)),
        price_per_hour=draw(st.sampled_from(PRICES)),
        interruption_probability=draw(st.sampled_from(RISKS)) if kind.is_elastic else 0.0,
        resources={"cpu": draw(st.sampled_from((2_000, 4_000))), "gpu": draw(st.integers(0, 1))},
        labels={labels.REGION: "e", labels.ZONE: zone} | ({RACK: rack} if rack else {}),
        reclamation_penalty=draw(st.sampled_from(PENALTIES)),
        ready_seconds=draw(st.sampled_from((0.0, 60.0, 3_600.0))),
        pinned=draw(st.sampled_from((False, False, False, True))),
        state_since=draw(st.sampled_from((-inf, -7_200.0, -120.0, 0.0))),
        reclaim_at=60.0 if kind is CapacityType.SPOT and has_host and draw(st.booleans()) else nan,
    )


def _serves(
    state: State, cluster: str | None, shard: str, clusters: Clusters
) -> st.SearchStrategy[int]:
    """Draw the need a machine serves or is reserved for, or none."""
    if state in (State.CONFIGURING, State.CONFIGURED):
        return st.sampled_from([-1, *clusters.serves(cluster, None)])
    if state in RESERVABLE:
        return st.sampled_from([-1, *clusters.serves(None, shard)])
    return st.just(-1)


@st.composite
def shuffled(draw: st.DrawFn, rows: FleetRows) -> FleetRows:
    """Draw the same rows in another order; what the machines serve stays the same need."""
    order = draw(st.permutations(range(len(rows.needs))))
    place = {old: new for new, old in enumerate(order)}
    machines = draw(st.permutations(rows.machines))
    return replace(
        rows,
        shards=tuple(draw(st.permutations(rows.shards))),
        needs=tuple(rows.needs[old] for old in order),
        machines=[replace(row, serves=place.get(row.serves, row.serves)) for row in machines],
    )
