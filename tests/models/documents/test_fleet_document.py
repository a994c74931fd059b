"""Fleet documents: what is read, what is refused and where, and back again."""

import copy
import json
from datetime import UTC, datetime
from math import inf, isnan, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.documents import document_from, fleet_from, fleet_schema, needs_from
from models.errors import InputFault
from models.machine import CapacityType, MachineRow, State
from models.need import Need, Spread, WhenUnsatisfiable
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
ZONE = "topology.kubernetes.io/zone"

# The fleet of the contract, with an extra row or two.
CONTRACT = {
    "apiVersion": "bigfleet.dev/v1",
    "kind": "Fleet",
    "metadata": {"name": "example"},
    "topology": ["topology.kubernetes.io/region", ZONE, "example.com/spine", "example.com/rack"],
    "shards": [{"name": "s0", "clusters": ["a", "b"]}],
    "clusters": [{"name": "b", "mode": "shadow"}],
    "machines": [
        {
            "id": "gpu-{}",
            "count": 64,
            "shard": "s0",
            "state": "CONFIGURED",
            "host": {"provider": "metal-ams", "ref": "host-{}"},
            "cluster": "a",
            "serves": "a/train",
            "instanceType": "h100x8",
            "capacityType": "bare-metal",
            "pricePerHour": 0,
            "interruptionProbability": 0,
            "resources": {"cpu": "192", "memory": "2Ti", "gpu": "8"},
            "labels": {ZONE: "ams-1", "example.com/rack": "r{//8}"},
            "reclamationPenalty": 8000,
            "readySeconds": 60,
            "pinned": False,
            "stateSince": "-10m",
        },
        {"id": 7, "capacityType": "spot", "shard": "s0", "provider": "p", "pricePerHour": None},
    ],
    "needs": [
        {
            "id": "a/train",
            "cluster": "a",
            "priority": 500000,
            "count": 64,
            "resources": {"gpu": "8"},
        },
        {
            "id": "b/serve",
            "cluster": "b",
            "priority": 1000000,
            "count": 64,
            "resources": {"cpu": "96", "memory": "1Ti", "gpu": "8"},
            "requirements": [
                {"key": "example.com/rack", "operator": "Exists"},
                {"key": "generation", "operator": "Gt", "values": [6]},
            ],
            "same": None,
            "spread": [],
            "interruptionPenalty": 1000,
            "reclamationPenalty": 0,
        },
    ],
}


def machine(**fields):
    return {"id": "m", "capacityType": "spot", **fields}


def held(**fields):
    host = {"provider": "p", "ref": "h"}
    return machine(state="CONFIGURED", cluster="a", host=host, **fields)


def need(**fields):
    return {"id": "n", "cluster": "a", "count": 1, **fields}


def faults_in(document, now=None):
    with pytest.raises(InputFault) as fault:
        fleet_from(document, now)
    for one in fault.value.faults:
        assert "\n" not in str(one)
        assert len(str(one)) < 700
    return {one.path: one.message for one in fault.value.faults}


def only_fault(document, now=None):
    found = faults_in(document, now)
    assert len(found) == 1, found
    return next(iter(found.items()))


def first(**fields):
    return fleet_from({"machines": [machine(**fields)]}).machines[0]


def test_the_contract():
    rows = fleet_from(CONTRACT)
    gpu, slot = rows.machines
    assert rows.name == "example"
    assert rows.topology == tuple(CONTRACT["topology"])
    assert rows.shards == (ShardRow("s0", ("a", "b")),)
    assert rows.clusters == (ClusterRow("b", ClusterMode.SHADOW),)
    assert (rows.shards_given, rows.needs_given) == (True, True)
    assert gpu == MachineRow(
        id="gpu-{}",
        capacity_type=CapacityType.BARE_METAL,
        count=64,
        is_pattern=True,
        state=State.CONFIGURED,
        provider="metal-ams",
        host_ref="host-{}",
        cluster="a",
        serves=0,
        instance_type="h100x8",
        price_per_hour=0.0,
        resources={"cpu": 192_000, "memory": 2 << 40, "gpu": 8},
        labels={ZONE: "ams-1", "example.com/rack": "r{//8}"},
        reclamation_penalty=8000.0,
        ready_seconds=60.0,
        state_since=-600.0,
    )
    assert (slot.id, slot.provider, slot.state_since) == ("7", "p", -inf)
    assert isnan(slot.price_per_hour)
    train, serve = rows.needs
    assert (train.id, train.name, train.cluster, train.priority) == (
        "train",
        "a/train",
        "a",
        500000,
    )
    assert (serve.id, serve.name, serve.drain_seconds, serve.same) == (
        "serve",
        "b/serve",
        30.0,
        None,
    )
    assert serve.requirements == (
        Requirement("example.com/rack", Operator.EXISTS),
        Requirement("generation", Operator.GT, ("6",)),
    )


def test_nothing_is_a_fleet_and_null_is_absent():
    nothing = dict.fromkeys(["apiVersion", "kind", "metadata", "topology", "shards", "needs"])
    assert fleet_from({}) == fleet_from({**nothing, "machines": None, "clusters": None})
    assert fleet_from({}) == FleetRows()
    assert fleet_from({"needs": []}).needs_given
    told = machine(**dict.fromkeys(["count", "shard", "host", "serves", "labels", "pinned"]))
    assert fleet_from({"machines": [told]}) == fleet_from({"machines": [machine()]})
    assert first(labels={"a": None, "b": ""}, resources={"gpu": None}).labels == {"b": ""}


def test_numbers_become_text_and_resources_integers():
    row = first(id=7, instanceType=8, labels={"rack": 3}, resources={"cpu": 0.5, "memory": "1.5"})
    assert (row.id, row.instance_type, row.labels) == ("7", "8", {"rack": "3"})
    assert row.resources == {"cpu": 500, "memory": 2}
    assert fleet_from({"needs": [need(count=64.0)]}).needs[0].count == 64


def test_times():
    host = {"ref": "h"}
    assert first(state="IDLE", host=host).state_since == -inf
    assert first(state="CREATING").state_since == 0.0
    rows = [machine(stateSince="2026-01-31T11:00:00Z", reclaimAt="5m")]
    row = fleet_from({"machines": rows}, NOW).machines[0]
    assert (row.state_since, row.reclaim_at) == (-3600.0, 300.0)
    path, message = only_fault({"machines": rows})
    assert path == "machines[0].stateSince"
    assert "now is not known" in message


def test_serves_as_written_then_qualified_then_bare():
    needs = [need(id="n"), need(id="b/m", cluster="b"), need(id="a/m")]
    for name, row in {"n": 0, "a/n": 0, "b/m": 1, "a/m": 2}.items():
        idle = machine(state="IDLE", host={"ref": "h"}, serves=name)
        assert fleet_from({"machines": [idle], "needs": needs}).machines[0].serves == row
    path, message = only_fault({"machines": [held(serves="m")], "needs": needs})
    assert path == "machines[0].serves"
    assert "cluster/id" in message
    unique = [need(), need(id="b/serve", cluster="b")]
    idle = machine(state="IDLE", host={"ref": "h"}, serves="serve")
    assert fleet_from({"machines": [idle], "needs": unique}).machines[0].serves == 1


def test_serves_without_needs_is_kept_aside():
    rows = fleet_from({"machines": [machine(id="x"), held(serves="n")]})
    assert rows.machines[1].serves == -1
    assert rows.serves_written == {1: "n"}
    assert not fleet_from({"machines": [held(serves="n")], "needs": [need()]}).serves_written


def test_same_is_an_operator_too():
    told = need(requirements=[{"key": "rack", "operator": "Same"}])
    read = fleet_from({"needs": [told]}).needs[0]
    assert (read.same, read.requirements) == ("rack", ())
    assert only_fault({"needs": [{**told, "same": "zone"}]})[0] == "needs[0].requirements[0]"
    assert fleet_from({"needs": [{**told, "same": "rack"}]}).needs[0].same == "rack"


def test_needs_of_a_roll_up():
    told = [{"id": "n", "count": 1}, need(cluster="b")]
    assert [(n.cluster, n.name) for n in needs_from([told[0]], cluster="a")] == [("a", "n")]
    with pytest.raises(InputFault) as fault:
        needs_from([{"id": "n", "count": -1}], cluster="a", path="rollup.needs")
    assert fault.value.faults[0].path == "rollup.needs[0].count"


REFUSED = [
    # machines
    ({"machines": [{"capacityType": "spot"}]}, "machines[0].id", ["required"]),
    ({"machines": [{"id": "m"}]}, "machines[0].capacityType", ["required"]),
    ({"machines": [machine(id="")]}, "machines[0].id", ["''", "empty"]),
    ({"machines": [machine(id=True)]}, "machines[0].id", ["true", "quotes"]),
    ({"machines": [machine(id=1.5)]}, "machines[0].id", ["1.5", "quotes"]),
    ({"machines": [machine(id="\ud800")]}, "machines[0].id", ["Unicode"]),
    ({"machines": [machine(capacityType="spto")]}, "machines[0].capacityType", ["spto", "spot?"]),
    ({"machines": [machine(state="idle")]}, "machines[0].state", ["'idle'", "mean IDLE?"]),
    ({"machines": [machine(pricePerHour="1")]}, "machines[0].pricePerHour", ["'1'", "quotes"]),
    ({"machines": [machine(pricePerHour=-1)]}, "machines[0].pricePerHour", ["-1"]),
    ({"machines": [machine(pricePerHour=nan)]}, "machines[0].pricePerHour", ["nan", "finite"]),
    ({"machines": [machine(pricePerHour=10**5000)]}, "machines[0].pricePerHour", ["bits"]),
    (
        {"machines": [machine(interruptionProbability=1.1)]},
        "machines[0].interruptionProbability",
        ["1.1"],
    ),
    ({"machines": [machine(pricePerHuor=0)]}, "machines[0].pricePerHuor", ["0", "pricePerHour"]),
    ({"machines": [machine(resources={"memory": "1gb"})]}, "machines[0].resources.memory", ["1gb"]),
    ({"machines": [machine(resources={"cpu": True})]}, "machines[0].resources.cpu", ["true"]),
    ({"machines": [machine(resources={"cpu": nan})]}, "machines[0].resources.cpu", ["nan"]),
    (
        {"machines": [machine(resources={"cpu": -1})]},
        "machines[0].resources.cpu",
        ["-1", "negative"],
    ),
    ({"machines": [machine(labels={"a": False})]}, "machines[0].labels.a", ["false", "quotes"]),
    ({"machines": [machine(labels={"a": "\ud800"})]}, "machines[0].labels.a", ["Unicode"]),
    ({"machines": [machine(instanceType="\ud800")]}, "machines[0].instanceType", ["Unicode"]),
    ({"machines": [machine(labels={1: "a"})]}, "machines[0].labels", ["1", "quotes"]),
    ({"machines": [machine(count=-1)]}, "machines[0].count", ["-1"]),
    ({"machines": [machine(count=True)]}, "machines[0].count", ["true"]),
    ({"machines": [machine(count=2)]}, "machines[0].id", ["'m'", "duplicate"]),
    ({"machines": [machine(id="m{//2}", count=2)]}, "machines[0].id", ["'m0'", "duplicate"]),
    ({"machines": [machine(id="m{//0}", count=2)]}, "machines[0].id", ["m{//0}", "from 1"]),
    ({"machines": [machine(id="m{}", count=10_000_001)]}, "machines[0].count", ["10000001"]),
    (
        {"machines": [machine(id=f"{x}{{}}", count=6_000_000) for x in "ab"]},
        "machines",
        ["12000000"],
    ),
    ({"machines": [machine(), machine()]}, "machines[1].id", ["'m'", "duplicate", "machines[0]"]),
    (
        {"machines": [machine(id="m{}", count=3), machine(id="m2")]},
        "machines[1].id",
        ["'m2'", "duplicate"],
    ),
    ({"machines": [machine(state="IDLE")]}, "machines[0].host", ["required", "IDLE"]),
    ({"machines": [machine(host={"ref": "h"})]}, "machines[0].host", ["'h'", "SPECULATIVE"]),
    ({"machines": [machine(state="IDLE", host={})]}, "machines[0].host.ref", ["required"]),
    ({"machines": [machine(state="IDLE", host="h")]}, "machines[0].host", ["'h'", "mapping"]),
    ({"machines": [machine(cluster="a")]}, "machines[0].cluster", ["'a'", "SPECULATIVE"]),
    (
        {"machines": [machine(state="DRAINING", host={"ref": "h"})]},
        "machines[0].cluster",
        ["required"],
    ),
    ({"machines": [held(provider="q")]}, "machines[0].provider", ["'q'", "'p'"]),
    ({"machines": [held(serves="x")], "needs": [need()]}, "machines[0].serves", ["'x'", "no need"]),
    (
        {"machines": [held(serves="n")], "needs": [need(cluster="b")]},
        "machines[0].serves",
        ["'b'", "'a'"],
    ),
    ({"machines": [machine(serves="n")], "needs": [need()]}, "machines[0].serves", ["SPECULATIVE"]),
    ({"machines": [machine(shard="s1")]}, "machines[0].shard", ["'s1'", "s0"]),
    ({"machines": [machine(stateSince="10m")]}, "machines[0].stateSince", ["'10m'", "future"]),
    ({"machines": [machine(stateSince=5)]}, "machines[0].stateSince", ["5", "-10m"]),
    ({"machines": [machine(readySeconds=-1)]}, "machines[0].readySeconds", ["-1", "negative"]),
    ({"machines": [machine(pinned="yes")]}, "machines[0].pinned", ["'yes'", "true"]),
    ({"machines": ["m"]}, "machines[0]", ["'m'", "mapping"]),
    ({"machines": {"m": 1}}, "machines", ["list"]),
    # needs
    ({"needs": [{"cluster": "a", "count": 1}]}, "needs[0].id", ["required"]),
    ({"needs": [{"id": "n", "count": 1}]}, "needs[0].cluster", ["required"]),
    ({"needs": [need(count=None)]}, "needs[0].count", ["required"]),
    ({"needs": [need(count=-1)]}, "needs[0].count", ["-1"]),
    ({"needs": [need(count=2**63)]}, "needs[0].count", [str(2**63)]),
    ({"needs": [need(count=1.5)]}, "needs[0].count", ["1.5", "whole"]),
    ({"needs": [need(priority=2**31)]}, "needs[0].priority", [str(2**31)]),
    ({"needs": [need(resources={"cpu": "1e3m"})]}, "needs[0].resources.cpu", ["1e3m"]),
    ({"needs": [need(interruptionPenalty=inf)]}, "needs[0].interruptionPenalty", ["inf"]),
    ({"needs": [need(drainSeconds="soon")]}, "needs[0].drainSeconds", ["soon", "duration"]),
    ({"needs": [need(id="a/")]}, "needs[0].id", ["'a/'"]),
    ({"needs": [need(), need(id="a/n")]}, "needs[1].id", ["a/n", "duplicate", "needs[0]"]),
    (
        {"needs": [need(), need(id="b/n", cluster="b")]},
        "needs[0].id",
        ["'n'", "'a/n'", "duplicate"],
    ),
    ({"needs": [need(id="b/n"), need(id="b/n", cluster="b")]}, "needs[1].id", ["b/n", "duplicate"]),
    ({"needs": [need(spread=[{"key": "z", "maxSkew": 0}])]}, "needs[0].spread[0].maxSkew", ["0"]),
    (
        {"needs": [need(spread=[{"key": "z", "whenUnsatisfiable": "Never"}])]},
        "needs[0].spread[0].whenUnsatisfiable",
        ["Never", "DoNotSchedule"],
    ),
    (
        {"needs": [need(requirements=[{"key": "z", "operator": "in"}])]},
        "needs[0].requirements[0].operator",
        ["'in'", "mean In?"],
    ),
    (
        {"needs": [need(requirements=[{"key": "z", "operator": "In"}])]},
        "needs[0].requirements[0]",
        ["'z'", "at least one"],
    ),
    (
        {"needs": [need(requirements=[{"key": "z", "operator": "Same", "values": ["a"]}])]},
        "needs[0].requirements[0].values",
        ["'a'"],
    ),
    (
        {"needs": [need(requirements=[{"key": "z", "operator": "In", "vlaues": []}])]},
        "needs[0].requirements[0].vlaues",
        ["mean 'values'?"],
    ),
    # around them
    ({"shards": []}, "shards", ["[]"]),
    ({"shards": [{"name": "s"}, {"name": "s"}]}, "shards[1].name", ["'s'", "duplicate"]),
    (
        {"shards": [{"name": "s", "clusters": ["a", "a"]}]},
        "shards[0].clusters[1]",
        ["'a'", "duplicate"],
    ),
    (
        {"shards": [{"name": "s", "clusters": ["a"]}], "machines": [machine()]},
        "machines[0].shard",
        ["required"],
    ),
    (
        {"shards": [{"name": "shard", "clusters": ["b"]}], "machines": [held(shard="shard")]},
        "machines[0].cluster",
        ["'a'", "known: b"],
    ),
    (
        {"shards": [{"name": "s", "clusters": ["alpha"]}], "needs": [need(cluster="alhpa")]},
        "needs[0].cluster",
        ["'alhpa'", "'alpha'?"],
    ),
    ({"shards": [{"name": "s"}], "clusters": [{"name": "a"}]}, "clusters[0].name", ["'a'"]),
    ({"clusters": [{"name": "a"}, {"name": "a"}]}, "clusters[1].name", ["duplicate"]),
    ({"clusters": [{"name": "a", "mode": "x"}]}, "clusters[0].mode", ["'x'", "shadow"]),
    ({"topology": ["a", "a"]}, "topology[1]", ["'a'", "duplicate"]),
    ({"topology": [""]}, "topology[0]", ["''"]),
    ({"topology": []}, "topology", ["[]"]),
    ({"kind": "Flet"}, "kind", ["'Flet'", "Fleet"]),
    ({"apiVersion": "v1"}, "apiVersion", ["'v1'", "bigfleet.dev/v1"]),
    ({"machnies": []}, "machnies", ["machines"]),
    ({1: 2}, "", ["1", "quotes"]),
    ([], "", ["[]", "mapping"]),
]


@pytest.mark.parametrize(("document", "path", "words"), REFUSED)
def test_refused_with_path_and_value(document, path, words):
    found, message = only_fault(document)
    assert found == path
    assert all(word in message for word in words), message


def test_all_faults_at_once():
    document = {
        "kind": "Fleet",
        "extra": 1,
        "shards": [{"name": "s", "clusters": ["a"]}],
        "machines": [
            machine(shard="t", state="IDLE", pricePerHour=-1),
            machine(shard="s", count="x", resources={"cpu": "1x", "gpu": "1y"}, serves="n"),
        ],
        "needs": [need(count=-1, cluster="c", resources={"cpu": "z"})],
    }
    assert set(faults_in(document)) == {
        "extra",
        "machines[0].shard",
        "machines[0].host",
        "machines[0].pricePerHour",
        "machines[1].count",
        "machines[1].resources.cpu",
        "machines[1].resources.gpu",
        "machines[1].serves",
        "needs[0].count",
        "needs[0].cluster",
        "needs[0].resources.cpu",
    }


def test_the_rest_of_a_broken_row_is_judged_all_the_same():
    row = {"state": "IDLE", "pricePerHour": -1}
    assert set(faults_in({"machines": [row]})) == {
        "machines[0].id",
        "machines[0].capacityType",
        "machines[0].host",
        "machines[0].pricePerHour",
    }
    odd = {"\ud800": 1, "id": "m", "capacityType": "spot", "state": "IDLE", "count": -1}
    assert set(faults_in({"machines": [odd]})) == {
        "machines[0]",
        "machines[0].count",
        "machines[0].host",
    }


def test_a_broken_need_makes_no_machine_wrong():
    document = {"machines": [held(serves="n")], "needs": [need(id=True)]}
    assert set(faults_in(document)) == {"needs[0].id"}
    broken_shards = {"shards": 5, "machines": [machine(shard="x")], "needs": [need()]}
    assert set(faults_in(broken_shards)) == {"shards"}


def test_the_schema_is_json_and_names_the_fields():
    schema = json.loads(json.dumps(fleet_schema()))
    row = schema["$defs"]["MachineShape"]
    assert {"id", "pricePerHour", "stateSince"} < set(row["properties"])
    assert row["required"] == ["id", "capacityType"]
    assert row["additionalProperties"] is False


# Round trip: rows -> document -> JSON -> rows.

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


# Mutations: any document gives rows or faults whose paths lead somewhere.

WRONG = st.sampled_from(
    [None, True, False, -1, 0, 1, 2**63, 10**5000, -0.0, 1.5, nan, inf, -inf, "", "x", "n", "{}",
     "{//0}", "\ud800", "\x00\n", "9" * 5000, "1e999999999", b"x", (), [], {}, [[]], [None],
     {"a": 1}, {None: 1}, {1: {}}, {"\ud800": 1, b"x": 2, (): 3, "": 4},
     datetime(2026, 1, 1), NOW, NOW.date(), float, "IDLE", "a/train"]
)  # fmt: skip


def spots(value, path=()):
    """Give the way to every place in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, inner in items:
        yield from spots(inner, (*path, key))


def mutated(document, way, change, wrong):
    *above, last = way
    parent = document
    for key in above:
        parent = parent[key]
    if change == "drop":
        del parent[last]
    elif change == "swap":
        parent[last] = wrong
    elif change == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[last]))
    elif change == "extra" and isinstance(parent, dict):
        parent[f"{last}z"] = wrong


CHANGES = st.tuples(
    st.integers(0, 10**6), st.sampled_from(["drop", "swap", "swap", "double", "extra"]), WRONG
)


@settings(max_examples=600, deadline=None)
@given(st.lists(CHANGES, min_size=1, max_size=4), st.sampled_from([None, NOW]))
def test_any_document_gives_rows_or_faults_with_paths(changes, now):
    document = copy.deepcopy(CONTRACT)
    for pick, change, wrong in changes:
        ways = list(spots(document))[1:]
        if ways:
            mutated(document, ways[pick % len(ways)], change, copy.deepcopy(wrong))
    rows, faults = read(document, now)
    if rows is not None:
        assert fleet_from(document_from(rows)) == rows
        return
    assert faults
    known = {written(way) for way in spots(document)}
    for one in faults:
        assert one.path in known or parent(one.path) in known, one
        assert str(one).isprintable(), one
        assert str(one).encode(), one


def read(document, now):
    try:
        return fleet_from(document, now), ()
    except InputFault as fault:
        return None, fault.faults


def written(way):
    """Write a way as faults do, by other means."""
    text = ""
    for key in way:
        text += f"[{key}]" if isinstance(key, int) else f".{ascii(key)[1:-1]}"
    return text.removeprefix(".")


def parent(path):
    """Give the path without its last part: a required field that is absent is named, too."""
    return path.rsplit(".", 1)[0] if "." in path else ""
