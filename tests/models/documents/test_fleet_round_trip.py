"""Fleet documents: rows to a document, to JSON, and back to the same rows."""

import json
from math import inf, nan

from fleet_documents import ZONE, held
from hypothesis import given, settings
from hypothesis import strategies as st

from models.documents import document_from, fleet_from
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread, WhenUnsatisfiable
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

NAMES = st.text("ab/{}-é ", min_size=1, max_size=6)
MONEY = st.floats(0, 1e12) | st.just(0.0)


@st.composite
def needs_lists(draw):
    keys = draw(st.lists(st.tuples(st.sampled_from("ab"), NAMES), unique=True, max_size=4))
    return tuple(
        Need(
            id=identity.removeprefix(f"{cluster}/") or "x",
            cluster=cluster,
            count=draw(st.integers(0, 2**63 - 1)),
            priority=draw(st.integers(-(2**31), 2**31 - 1)),
            name=f"{cluster}/{identity.removeprefix(f'{cluster}/') or 'x'}",
            requirements=draw(st.sampled_from([(), (Requirement("k", Operator.IN, ("v", "")),)])),
            resources=draw(
                st.dictionaries(st.sampled_from(["cpu", "memory"]), st.integers(0, 2**62))
            ),
            same=draw(st.none() | st.just("rack")),
            spread=draw(
                st.sampled_from([(), (Spread(ZONE, 2, WhenUnsatisfiable.SCHEDULE_ANYWAY),)])
            ),
            interruption_penalty=draw(MONEY),
            reclamation_penalty=draw(MONEY),
            drain_seconds=draw(MONEY),
            floor=draw(st.integers(0, 9)),
        )
        for cluster, identity in keys
    )


@st.composite
def machine_rows(draw, index, needs):
    state = draw(st.sampled_from(list(State)))
    has_host = state not in (State.SPECULATIVE, State.CREATING)
    cluster = "a" if state in (State.CONFIGURED, State.CONFIGURING, State.DRAINING) else None
    fitting = [row for row, one in enumerate(needs) if cluster in (None, one.cluster)]
    may_serve = state not in (State.SPECULATIVE, State.DELETING)
    count = draw(st.none() | st.integers(0, 5))
    return MachineRow(
        id=f"m{index}{{//3}}-{{}}",
        capacity_type=draw(st.sampled_from(list(CapacityType))),
        count=1 if count is None else count,
        is_pattern=count is not None,
        state=state,
        provider=draw(st.sampled_from(["default", "p"])),
        host_ref="h{}" if has_host else None,
        cluster=cluster,
        serves=draw(st.sampled_from([-1, *(fitting if may_serve else [])])),
        instance_type=draw(st.sampled_from(["", "t"])),
        price_per_hour=draw(MONEY | st.just(nan)),
        interruption_probability=draw(st.floats(0, 1)),
        resources=draw(st.dictionaries(st.sampled_from(["cpu", "memory"]), st.integers(0, 2**62))),
        labels=draw(st.dictionaries(NAMES, st.text("ab", max_size=2), max_size=2)),
        reclamation_penalty=draw(MONEY),
        ready_seconds=draw(MONEY),
        pinned=draw(st.booleans()),
        state_since=draw(since(state)),
        reclaim_at=draw(st.just(nan) | st.integers(-5, 10**9).map(lambda ms: ms / 1000)),
    )


def since(state):
    ago = st.integers(0, 10**12).map(lambda ms: -ms / 1000 + 0.0)
    stable = state in (State.SPECULATIVE, State.IDLE, State.CONFIGURED)
    return ago | st.just(-inf) if stable else ago


@st.composite
def fleets(draw):
    needs = draw(needs_lists())
    given_needs = draw(st.booleans()) or bool(needs)
    shards = (ShardRow("s0", ("a",)), ShardRow("s1", ("b",)))
    given_shards = draw(st.booleans())
    size = draw(st.integers(0, 4))
    return FleetRows(
        name=draw(st.text("ab", max_size=2)),
        topology=draw(st.sampled_from([FleetRows().topology, ("rack",)])),
        shards=shards if given_shards else FleetRows().shards,
        shards_given=given_shards,
        machines=[draw(machine_rows(index, needs)) for index in range(size)],
        needs=needs,
        needs_given=given_needs,
        clusters=draw(st.sampled_from([(), (ClusterRow("a", ClusterMode.SHADOW),)])),
    )


@settings(max_examples=300)
@given(fleets())
def test_written_and_read_again(rows):
    names = [one.name for one in rows.needs]
    if len(set(names)) < len(names):
        return  # two drawn ids were one need
    document = json.loads(json.dumps(document_from(rows)))
    again = fleet_from(document)
    assert document_from(again) == document
    assert again == rows


def test_serves_without_needs_is_written_again():
    rows = fleet_from({"machines": [held(serves="n")]})
    assert fleet_from(document_from(rows)) == rows
