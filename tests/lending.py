"""Hypothesis strategies: fleets whose shards lack what others have, idle or running."""

from dataclasses import replace
from math import nan

from hypothesis import strategies as st
from strategies import PENALTIES, RACK, RISKS, TOPOLOGY, Clusters, machines_of

from models import labels
from models.machine import CLUSTER_REQUIRED, HOST_REQUIRED, CapacityType, MachineRow, State
from models.need import Need, Spread, WhenUnsatisfiable
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

LOW = (0, 0, 1, 100_000)
HIGH = (1, 100_000, 200_000, 1_000_000)
"""Gaps on both sides of the least one between shards, and of 1, the least within a shard."""

STATES = (*[State.CONFIGURED] * 4, State.IDLE, State.SPECULATIVE, State.DRAINING, State.CREATING)
"""Mostly running: what a plan drains for others is what these fleets are for."""


@st.composite
def lending_fleets(draw: st.DrawFn, max_machines: int = 14) -> FleetRows:
    """Draw two or three shards of a cluster each; the first asks for more, and has less."""
    names = ["a", "b", "c"][: draw(st.integers(2, 3))]
    shards = [f"s{index}" for index in range(len(names))]
    needs = tuple(
        draw(_needs(f"n{number}", name, HIGH if name == "a" else LOW))
        for name in names
        for number in range(draw(st.integers(1, 2)))
    )
    clusters = Clusters(shards, dict(zip(names, shards, strict=True)), needs)
    count = draw(st.integers(3, max_machines))
    shadow = draw(st.sampled_from(((), (), (), names[:1], names[1:2])))
    return FleetRows(
        topology=TOPOLOGY,
        shards=tuple(ShardRow(*pair) for pair in zip(shards, [(x,) for x in names], strict=True)),
        shards_given=True,
        machines=[draw(_machines(f"m{7 * index % 16}", clusters)) for index in range(count)],
        needs=needs,
        needs_given=True,
        clusters=tuple(ClusterRow(name, ClusterMode.SHADOW) for name in shadow),
    )


@st.composite
def _needs(draw: st.DrawFn, id: str, cluster: str, priorities: tuple[int, ...]) -> Need:
    kind = draw(st.sampled_from(("plain", "plain", "gang", "spread")))
    key = draw(st.sampled_from((labels.ZONE, RACK)))
    spread = Spread(key, draw(st.integers(1, 2)), draw(st.sampled_from(WhenUnsatisfiable)))
    return Need(
        id=id,
        cluster=cluster,
        count=draw(st.integers(1, 4)),
        priority=draw(st.sampled_from(priorities)),
        same=key if kind == "gang" else None,
        spread=(spread,) if kind == "spread" else (),
        floor=draw(st.sampled_from((0, 0, 1))),
        interruption_penalty=draw(st.sampled_from(PENALTIES)),
        drain_seconds=draw(st.sampled_from((0.0, 30.0))),
    )


@st.composite
def _machines(draw: st.DrawFn, id: str, clusters: Clusters) -> MachineRow:
    """Draw a machine, in three of four cases one of a shard that may lend it."""
    lends = draw(st.sampled_from((True, True, True, False)))
    shard = draw(st.sampled_from(clusters.shards[1:] if lends else clusters.shards[:1]))
    cluster = next(name for name, owner in clusters.shard_of.items() if owner == shard)
    state = draw(st.sampled_from(STATES))
    own = clusters.serves(cluster, None)
    kind = draw(st.sampled_from(CapacityType))
    has_host = state in HOST_REQUIRED
    noticed = kind is CapacityType.SPOT and has_host and draw(st.integers(0, 4)) == 0
    return replace(
        draw(machines_of(id, clusters)),
        capacity_type=kind,
        shard=shard,
        state=state,
        host_ref=f"host-{id}" if has_host else None,
        cluster=cluster if state in CLUSTER_REQUIRED else None,
        serves=-1 if state is State.SPECULATIVE else draw(st.sampled_from([-1, *own, *own])),
        interruption_probability=draw(st.sampled_from(RISKS)) if kind.is_elastic else 0.0,
        reclaim_at=60.0 if noticed else nan,
        pinned=draw(st.integers(0, 7)) == 0,
    )
