"""Hypothesis strategies: fleets of racks, mostly free, of which shards hold more or less."""

from builders import RACK, TOPOLOGY, machine, need
from hypothesis import strategies as st

from models import labels
from models.machine import CapacityType, MachineRow, State
from models.need import Need
from models.rows import FleetRows, ShardRow
from planner.owning import Wishes

CLUSTERS = ("a", "b", "c")
FREE = (*[State.IDLE] * 4, State.SPECULATIVE)
USED = (State.CONFIGURED, State.CREATING, State.FAILED)


@st.composite
def racked_fleets(draw: st.DrawFn, max_racks: int = 7) -> FleetRows:
    """Draw up to four shards, the first often with all; now and then a rack is split or in use."""
    shards = [f"s{index}" for index in range(draw(st.integers(1, 4)))]
    home = {name: draw(st.sampled_from(shards)) for name in CLUSTERS}
    machines: list[MachineRow] = []
    for rack in range(draw(st.integers(1, max_racks))):
        machines += draw(_rack(rack, shards, home))
    machines += draw(_lone(shards))
    return FleetRows(
        topology=TOPOLOGY,
        shards=tuple(
            ShardRow(shard, tuple(name for name in CLUSTERS if home[name] == shard))
            for shard in shards
        ),
        shards_given=True,
        machines=machines,
        needs=tuple(draw(st.lists(_gangs(), max_size=2, unique_by=lambda row: row.id))),
        needs_given=True,
    )


@st.composite
def wishes_of(draw: st.DrawFn, rows: FleetRows) -> Wishes:
    """Draw what somebody may wish of a fleet; most often nothing."""
    shards = [shard.name for shard in rows.shards]
    racks = sorted({row.labels[RACK] for row in rows.machines if RACK in row.labels})
    retire = draw(st.sampled_from(((), (), (), *((name,) for name in shards))))
    leave = draw(st.sampled_from(((), (), (), *(((RACK, name),) for name in racks))))
    return Wishes(leave, retire, draw(st.sampled_from((False, False, False, True))))


@st.composite
def _rack(draw: st.DrawFn, rack: int, shards: list[str], home: dict[str, str]) -> list[MachineRow]:
    shard = draw(st.sampled_from((shards[0], *shards)))
    kind = draw(st.sampled_from(("x", "x", "y", "xy")))
    size = draw(st.integers(1, 3))
    trouble = draw(st.sampled_from(("", "", "", "", "used", "pinned", "split", "notice")))
    rows = []
    for place in range(size):
        first = place == 0
        state = draw(st.sampled_from(FREE))
        owner = draw(st.sampled_from(shards)) if trouble == "split" else shard
        cluster = None
        if trouble == "used" and first:
            state = draw(st.sampled_from(USED))
            own = [name for name in CLUSTERS if home[name] == owner]
            if state is State.CONFIGURED and not own:
                state = State.FAILED
            cluster = own[0] if state is State.CONFIGURED else None
        rows.append(
            machine(
                f"m{rack}{place}",
                state,
                cluster=cluster,
                shard=owner,
                capacity=CapacityType.ON_DEMAND,
                zone=draw(st.sampled_from(("z1", "z1", "z2"))) if trouble == "split" else "z1",
                rack=f"r{rack}",
                instance_type=kind[place % len(kind)],
                price=1.0,
                pinned=trouble == "pinned" and first,
                reclaim_at=60.0 if trouble == "notice" and first else float("nan"),
            )
        )
    return rows


@st.composite
def _lone(draw: st.DrawFn, shards: list[str]) -> list[MachineRow]:
    return [
        machine(
            f"q{number}",
            State.SPECULATIVE,
            shard=draw(st.sampled_from(shards)),
            capacity=CapacityType.ON_DEMAND,
            instance_type=draw(st.sampled_from(("x", "q"))),
            price=1.0,
        )
        for number in range(draw(st.integers(0, 2)))
    ]


@st.composite
def _gangs(draw: st.DrawFn) -> Need:
    """Gangs: some ask for what there is, so that a cycle takes of it, some for more GPUs."""
    cluster = draw(st.sampled_from(CLUSTERS))
    key = draw(st.sampled_from((RACK, RACK, labels.ZONE)))
    # Beyond what any machine has: it keeps its rack, and no cycle serves it.
    gpu = draw(st.sampled_from((8, 8, 99)))
    return need(f"{cluster}/g{draw(st.integers(0, 1))}", draw(st.integers(1, 3)), gpu=gpu, same=key)
