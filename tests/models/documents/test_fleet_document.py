"""Fleet documents: what is read."""

import json
from math import inf, isnan

import pytest
from fleet_documents import CONTRACT, NOW, ZONE, held, machine, need, only_fault

from models.documents import fleet_from, fleet_schema, needs_from
from models.errors import InputFault
from models.machine import CapacityType, MachineRow, State
from models.requirement import Operator, Requirement
from models.rows import ClusterMode, ClusterRow, FleetRows, ShardRow


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


def test_the_schema_is_json_and_names_the_fields():
    schema = json.loads(json.dumps(fleet_schema()))
    row = schema["$defs"]["MachineShape"]
    assert {"id", "pricePerHour", "stateSince"} < set(row["properties"])
    assert row["required"] == ["id", "capacityType"]
    assert row["additionalProperties"] is False
