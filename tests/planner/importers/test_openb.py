"""The OpenB trace, recounted with plain csv code, and trace files that are wrong."""

import csv
import gzip
import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from models.errors import InputFault
from planner.importers.gpu_models import GPU_MODEL_LABEL
from planner.importers.openb import PRIORITIES, import_openb
from planner.importers.openb_rollup import roll_up
from planner.importers.openb_table import read_nodes, read_pods

OPENB = Path(__file__).parents[3] / "benchmarks" / "data" / "openb"
FILES = ("pods_gpuspec33.csv.gz", "pods_default.csv.gz")
QOS = tuple(PRIORITIES)


def plain_rows(name: str) -> list[dict[str, str]]:
    path = OPENB / name
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module", params=FILES)
def packed(request):
    pods = [p for p in read_pods(OPENB / request.param) if p.phase in ("Running", "Pending")]
    return request.param, roll_up(read_nodes(OPENB / "nodes.csv"), pods, QOS)


@pytest.fixture(scope="module")
def imported():
    return import_openb(OPENB)


def test_every_running_or_pending_pod_is_counted_once(packed):
    name, rollup = packed
    asked = [r["name"] for r in plain_rows(name) if r["pod_phase"] in ("Running", "Pending")]
    found = [load.name for node in rollup.packed for load in node.filled.loads]
    found += [pod.name for pod in rollup.unpacked]
    assert len(asked) == 6090
    assert sorted(found) == sorted(asked)


def test_running_pods_are_on_nodes_and_pending_ones_are_not(packed):
    name, rollup = packed
    phase = {row["name"]: row["pod_phase"] for row in plain_rows(name)}
    assert rollup.unpacked == ()
    assert rollup.displaced == 0
    for node in rollup.packed:
        phases = {phase[load.name] for load in node.filled.loads}
        assert phases == ({"Pending"} if node.node is None else {"Running"})


def test_no_node_is_overfull(packed):
    name, rollup = packed
    nodes = {row["sn"]: row for row in plain_rows("nodes.csv")}
    pods = {row["name"]: row for row in plain_rows(name)}
    taken = [node.node.name for node in rollup.packed if node.node is not None]
    assert len(set(taken)) == len(taken)
    for node in rollup.packed:
        if node.node is None:
            continue
        row = nodes[node.node.name]
        held = [pods[load.name] for load in node.filled.loads]
        assert sum(int(pod["cpu_milli"]) for pod in held) <= int(row["cpu_milli"])
        assert sum(int(pod["memory_mib"]) for pod in held) <= int(row["memory_mib"])
        gpus = Counter()
        for pod, numbers in zip(held, node.filled.gpus_of, strict=True):
            assert len(set(numbers)) == int(pod["num_gpu"])
            assert all(number < int(row["gpu"]) for number in numbers)
            for number in numbers:
                gpus[number] += int(pod["gpu_milli"])
        assert all(thousandths <= 1000 for thousandths in gpus.values())


def test_pods_bound_to_models_are_on_them_and_only_with_their_like(packed):
    name, rollup = packed
    pods = {row["name"]: row for row in plain_rows(name)}
    models = {row["sn"]: row["model"] for row in plain_rows("nodes.csv")}
    for node in rollup.packed:
        held = [pods[load.name] for load in node.filled.loads]
        specs = {frozenset(pod["gpu_spec"].split("|")) for pod in held}
        assert len({(pod["qos"], int(pod["num_gpu"]) > 0) for pod in held}) == len(specs) == 1
        if node.node is not None and specs != {frozenset([""])}:
            assert models[node.node.name] in specs.pop()


def test_golden_numbers(imported):
    machines, needs = imported.document["machines"], imported.document["needs"]
    states = Counter(machine["state"] for machine in machines)
    assert states == {"CONFIGURED": 1210, "IDLE": 313}
    assert sum(need["count"] for need in needs) == 1423
    assert imported.notes.skipped == {
        "pod in phase Failed: it asks for nothing": 1870,
        "pod in phase Succeeded: it asks for nothing": 192,
    }
    counts = {need["id"]: need["count"] for need in needs}
    assert len(counts) == len(needs) == 60
    assert counts["any-gpu-online/ls-g2x8-96c-384g"] == 319
    assert counts["p100-online/ls-p100x2-16c-120g"] == 70


def test_the_largest_bound_group_packed_by_plain_code(imported):
    """Pods of one GPU or less on nodes of two: first fit decreasing in a dozen lines."""
    rows = [
        row
        for row in plain_rows(FILES[0])
        if (row["gpu_spec"], row["qos"]) == ("T4", "LS") and row["num_gpu"] == "1"
    ]
    sizes = {}
    for phase in ("Running", "Pending"):
        loads = sorted(
            (-int(r["gpu_milli"]), -int(r["cpu_milli"]), -int(r["memory_mib"]), r["name"])
            for r in rows
            if r["pod_phase"] == phase
        )
        bins = []
        for gpu, cpu, memory, _ in loads:
            for b in bins:
                halves = [i for i in (0, 1) if b[2][i] >= -gpu]
                if b[0] >= -cpu and b[1] >= -memory and halves:
                    break
            else:
                b = [104000, 524288, [1000, 1000]]
                bins.append(b)
                halves = [0, 1]
            b[0] += cpu
            b[1] += memory
            b[2][min(halves, key=lambda i: b[2][i])] += gpu
        sizes[phase] = len(bins)
    assert sizes == {"Running": 280, "Pending": 33}
    need = next(n for n in imported.document["needs"] if n["id"] == "t4-online/ls-t4x2-104c-512g")
    serving = [m for m in imported.document["machines"] if m.get("serves") == need["id"]]
    assert (len(serving), need["count"]) == (280, 313)


def test_the_inventory_is_that_of_the_nodes(imported):
    rows = {row["sn"]: row for row in plain_rows("nodes.csv")}
    machines = imported.document["machines"]
    assert sorted(machine["id"] for machine in machines) == sorted(rows)
    for machine in machines:
        row = rows[machine["id"]]
        gpu = {"gpu": row["gpu"]} if row["gpu"] != "0" else {}
        amounts = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi"}
        assert machine["resources"] == amounts | gpu
        assert machine["labels"] == ({GPU_MODEL_LABEL: row["model"]} if row["model"] else {})


def test_each_machine_holds_what_the_need_it_serves_asks_for(imported):
    needs = {need["id"]: need for need in imported.document["needs"]}
    serving = Counter()
    for machine in imported.document["machines"]:
        if machine["state"] == "IDLE":
            assert "cluster" not in machine
            assert "serves" not in machine
            continue
        need = needs[machine["serves"]]
        serving[need["id"]] += 1
        assert need["cluster"] == machine["cluster"]
        for key, amount in need["resources"].items():
            assert _number(amount) <= _number(machine["resources"][key])
        for asked in need.get("requirements", []):
            assert machine["labels"][asked["key"]] in asked["values"]
    assert all(serving[name] <= need["count"] for name, need in needs.items())


def _number(quantity: str) -> int:
    return int(quantity.removesuffix("Mi").removesuffix("m"))


def test_shards_follow_the_stated_rules(imported):
    shards = {
        cluster: shard["name"]
        for shard in imported.document["shards"]
        for cluster in shard["clusters"]
    }
    idle = defaultdict(list)
    for machine in imported.document["machines"]:
        if machine["state"] == "IDLE":
            idle[machine["instanceType"]].append(machine["shard"])
        else:
            assert machine["shard"] == shards[machine["cluster"]]
    for dealt in idle.values():
        assert dealt == [f"s{turn % 3}" for turn in range(len(dealt))]
    assert {need["cluster"] for need in imported.document["needs"]} == set(shards)


def test_there_is_idle_room_elsewhere_than_where_it_is_wanted(imported):
    """Else the example would show no move between shards."""
    wanted = Counter()
    for need in imported.document["needs"]:
        wanted[need["id"]] += need["count"]
    for machine in imported.document["machines"]:
        if "serves" in machine:
            wanted[machine["serves"]] -= 1
    g2 = [
        machine["shard"]
        for machine in imported.document["machines"]
        if machine["state"] == "IDLE" and machine["labels"].get(GPU_MODEL_LABEL) == "G2"
    ]
    assert wanted["any-gpu-online/ls-g2x8-96c-384g"] == 38
    assert wanted["any-gpu-batch/be-g2x8-96c-384g"] == 27
    assert Counter(g2) == {"s0": 61, "s1": 61, "s2": 60}


def test_the_order_of_rows_does_not_matter(tmp_path, imported):
    chance = random.Random(7)
    for name in ("nodes.csv", FILES[0]):
        rows = plain_rows(name)
        chance.shuffle(rows)
        path = tmp_path / name
        with gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    again = import_openb(tmp_path)
    assert again.document == imported.document
    assert again.notes.made == imported.notes.made


def test_one_shard_takes_everything():
    document = import_openb(OPENB, shards=1, online_penalty=7).document
    assert {machine["shard"] for machine in document["machines"]} == {"s0"}
    penalties = {(n["priority"] >= 900_000, n["interruptionPenalty"]) for n in document["needs"]}
    assert penalties == {(True, 7), (False, 0)}


NODES = "sn,cpu_milli,memory_mib,gpu,model\nn1,8000,4096,2,T4\n"
PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase\n"


def small(tmp_path, nodes: str, pods: str):
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "pods.csv").write_text(PODS + pods)
    return import_openb(tmp_path, pods="pods.csv")


def test_running_pods_without_a_node_left_are_wanted(tmp_path):
    pods = "".join(f"p{i},8000,1,1,1000,,LS,Running\n" for i in range(3))
    imported = small(tmp_path, NODES, pods)
    assert [need["count"] for need in imported.document["needs"]] == [3]
    assert [machine["state"] for machine in imported.document["machines"]] == ["CONFIGURED"]
    assert "2 Running pods had no node left and are wanted anew." in imported.notes.made


def test_gpu_pods_take_gpu_nodes_first_and_the_lowest_name(tmp_path):
    nodes = "sn,cpu_milli,memory_mib,gpu,model\nn2,8000,4096,2,T4\nn1,8000,4096,2,T4\n"
    pods = "a,1,1,0,0,,Guaranteed,Running\nb,1,1,1,500,,BE,Running\n"
    machines = small(tmp_path, nodes, pods).document["machines"]
    assert [(machine["id"], machine["cluster"]) for machine in machines] == [
        ("n1", "any-gpu-batch"),
        ("n2", "cpu-online"),
    ]


def test_a_need_asks_for_what_its_fullest_node_holds(tmp_path):
    pods = "a,8000,1,1,500,,LS,Pending\nb,1000,9,1,400,,LS,Pending\nc,1000,1,2,400,,LS,Pending\n"
    (need,) = small(tmp_path, NODES, pods).document["needs"]
    assert (need["count"], need["resources"]) == (
        2,
        {"cpu": "8000m", "memory": "10Mi", "gpu": "2"},
    )


def test_pods_that_no_shape_holds_are_told(tmp_path):
    pods = "a,9000,1,0,0,,LS,Running\nb,1,1,1,500,P100,LS,Pending\nc,1,1,1,500,T4,LS,Pending\n"
    imported = small(tmp_path, NODES, pods)
    why = "pod that no node shape its group may use could hold"
    assert imported.notes.skipped == {why: 2}
    assert [need["id"] for need in imported.document["needs"]] == ["t4-online/ls-t4x2-8c-4g"]


@pytest.mark.parametrize(
    ("nodes", "pods", "paths"),
    [
        (NODES + "n2,-1,1,x,\n", "", ["nodes.csv: line 3.cpu_milli", "nodes.csv: line 3.gpu"]),
        (NODES + "n2,1.5,1,0,\n", "", ["nodes.csv: line 3.cpu_milli"]),
        (NODES + "n1,1,1,0,\n", "", ["nodes.csv"]),
        (NODES + "n2,1,1,2000000000,\n", "", ["nodes.csv: line 3.gpu"]),
        (NODES + ",1,1,0,\n", "", ["nodes.csv: line 3.sn"]),
        (NODES + "n2,1\n", "", ["nodes.csv: line 3"]),
        ("sn,cpu_milli\n", "", ["nodes.csv: line 1"]),
        (NODES, "p,1,1,1,1001,,LS,Running\n", ["pods.csv: line 2.gpu_milli"]),
        (NODES, "p,1,1,1,1,,XX,Running\n", ["pods.csv: qos"]),
    ],
)
def test_faults_say_where(tmp_path, nodes, pods, paths):
    with pytest.raises(InputFault) as caught:
        small(tmp_path, nodes, pods)
    found = [fault.path.removeprefix(f"{tmp_path}/") for fault in caught.value.faults]
    assert found == paths


def test_missing_and_broken_files_are_faults(tmp_path):
    with pytest.raises(InputFault, match=r"nodes\.csv"):
        import_openb(tmp_path)
    (tmp_path / "nodes.csv").write_text(NODES)
    whole = (OPENB / FILES[0]).read_bytes()
    for content in (b"no gzip", whole[:5000], whole[:40] + bytes(40) + whole[80:]):
        (tmp_path / FILES[0]).write_bytes(content)
        with pytest.raises(InputFault, match=r"pods_gpuspec33\.csv\.gz: "):
            import_openb(tmp_path)


def test_no_shard_is_too_few():
    with pytest.raises(InputFault, match="shards: 0"):
        import_openb(OPENB, shards=0)
