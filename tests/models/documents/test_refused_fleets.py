"""Fleet documents: what is refused, and where."""

from math import inf, nan

import pytest
from fleet_documents import faults_in, held, machine, need, only_fault

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
