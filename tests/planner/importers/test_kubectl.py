"""Dumps of kubectl: the real ones, and small ones that show each rule."""

import gzip
import json
from pathlib import Path

import pytest

from models.errors import InputFault
from planner.importers.kubectl import import_kubectl

KUBECTL = Path(__file__).parents[3] / "benchmarks" / "data" / "kubectl"


def real(nodes: str, pods: str):
    return import_kubectl(KUBECTL / f"{nodes}.json.gz", KUBECTL / f"{pods}.json.gz")


def node(name: str, **labels: str):
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "10", "hugepages-2Mi": "0"}
    return {
        "metadata": {"name": name, "labels": labels},
        "spec": {"providerID": f"aws:///zone/{name}"},
        "status": {
            "allocatable": allocatable,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, cpu: str, where: str | None = None, **spec):
    requests = {"requests": {"cpu": cpu}}
    return {
        "metadata": {"name": name, "namespace": "n"},
        "spec": {"nodeName": where, "containers": [{"resources": requests}], **spec},
        "status": {"phase": "Running" if where else "Pending"},
    }


def daemon(name: str, cpu: str, where: str):
    made = pod(name, cpu, where)
    made["metadata"]["ownerReferences"] = [{"kind": "DaemonSet"}]
    return made


@pytest.fixture
def dumped(tmp_path):
    """Write nodes and pods as kubectl does, and import them."""

    def write_and_import(nodes, pods):
        for name, items in (("nodes", nodes), ("pods", pods)):
            text = json.dumps({"kind": "List", "items": items})
            (tmp_path / f"{name}.json").write_text(text)
        return import_kubectl(tmp_path / "nodes.json", tmp_path / "pods.json", cluster="c")

    return write_and_import


def needs_of(imported):
    return [
        (need["priority"], need["count"], need["resources"]) for need in imported.document["needs"]
    ]


def test_the_real_cluster():
    imported = real("honeycomb_nodes", "honeycomb_pods")
    machines = imported.document["machines"]
    assert [machine["id"] for machine in machines] == ["duckboat-01", "duckboat-02"]
    assert machines[0]["resources"] == {
        "attachable-volumes-aws-ebs": "39",
        "cpu": "7910m",
        "ephemeral-storage": "122601479578",
        "memory": "31127824Ki",
        "pods": "58",
    }
    assert {machine["host"]["provider"] for machine in machines} == {"aws"}
    assert "serves" in machines[0]
    assert "serves" not in machines[1]
    # 250m of calico-node, 100m each of the two parts of metallb.
    assert needs_of(imported) == [(0, 1, {"cpu": "450m", "memory": "200Mi"})]
    assert imported.notes.reduced == {
        "node whose provider id another node has too: named by its name": 2,
        "node with taints: any need that matches its labels may get it": 2,
    }


def test_every_pod_of_the_real_cluster_is_counted():
    with gzip.open(KUBECTL / "honeycomb_pods.json.gz", "rt") as file:
        pods = json.load(file)["items"]
    owners = [p["metadata"].get("ownerReferences", [{}])[0].get("kind") for p in pods]
    made = real("honeycomb_nodes", "honeycomb_pods").notes.made
    daemons = owners.count("DaemonSet")
    assert f"{daemons} DaemonSet pods, as part of what their node holds." in made
    rest = len(pods) - daemons
    assert f"{rest} pods on nodes in use, each need's guests included." in made


def test_the_real_pod_that_no_node_holds():
    imported = real("troubleshoot_nodes", "troubleshoot_pods_pending_resources")
    assert len(imported.document["machines"]) == 7
    assert needs_of(imported) == [(0, 1, {"cpu": "3", "gpu": "5", "memory": "5Gi"})]


def test_the_real_pod_with_node_affinity():
    imported = real("troubleshoot_nodes", "troubleshoot_pods_pending_node_affinity")
    (need,) = imported.document["needs"]
    assert need["requirements"] == [
        {"key": "kubernetes.io/arch", "operator": "NotIn", "values": ["arm64"]},
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
    ]
    # The largest init container asks for no more than the container.
    assert need["resources"] == {"cpu": "100m", "memory": "100Mi"}


def test_a_node_serves_its_most_important_pods(dumped):
    pods = [pod("low", "2", "a", priority=1), pod("high", "1", "a", priority=9)]
    imported = dumped([node("a")], pods)
    assert needs_of(imported) == [(9, 1, {"cpu": "3"})]
    (machine,) = imported.document["machines"]
    assert machine["serves"] == imported.document["needs"][0]["id"]


def test_daemon_sets_come_with_every_node(dumped):
    pods = [daemon("d", "500m", "a"), pod("p", "1", "a"), pod("q", "3600m"), pod("r", "3500m")]
    imported = dumped([node("a"), node("b")], pods)
    # q does not fit beside the DaemonSet: it asks for a machine of its own size, with room for it.
    assert sorted(needs_of(imported)) == [
        (0, 1, {"cpu": "4100m"}),
        (0, 2, {"cpu": "4"}),
    ]
    assert "serves" not in imported.document["machines"][1]


def test_there_is_room_for_the_most_that_daemon_sets_take(dumped):
    pods = [daemon("d", "2", "a"), daemon("e", "1", "b"), pod("p", "1")]
    assert needs_of(dumped([node("a"), node("b")], pods)) == [(0, 1, {"cpu": "3"})]


def test_among_equal_priorities_a_node_serves_the_most_cpu(dumped):
    slow, fast = {"disk": "slow"}, {"net": "fast"}
    for little, much in ((slow, fast), (fast, slow)):
        pods = [pod("p", "1", "a", nodeSelector=little), pod("q", "2", "a", nodeSelector=much)]
        (need,) = dumped([node("a", **slow, **fast)], pods).document["needs"]
        assert [asked["key"] for asked in need["requirements"]] == list(much)


def test_pending_pods_do_not_count_on_nodes_that_are_not_ready(dumped):
    sick = node("a")
    sick["status"]["conditions"] = []
    assert needs_of(dumped([sick], [pod("p", "1"), pod("q", "1")])) == [(0, 2, {"cpu": "1"})]
    assert needs_of(dumped([node("a")], [pod("p", "1"), pod("q", "1")])) == [(0, 1, {"cpu": "2"})]


def test_pending_pods_are_packed_by_kind(dumped):
    pods = [pod(f"p{i}", "1500m") for i in range(5)]
    pods += [pod(f"s{i}", "1", nodeSelector={"disk": "ssd"}) for i in range(4)]
    imported = dumped([node("a"), node("b", disk="ssd")], pods)
    assert sorted(needs_of(imported)) == [(0, 1, {"cpu": "4"}), (0, 3, {"cpu": "3"})]


def test_pending_pods_are_packed_onto_shapes_that_match_them(dumped):
    small = node("s", disk="ssd")
    small["status"]["allocatable"]["cpu"] = "2"
    pods = [pod(f"p{i}", "1", nodeSelector={"disk": "ssd"}) for i in range(4)]
    assert needs_of(dumped([node("a"), node("b"), small], pods)) == [(0, 2, {"cpu": "2"})]


def test_requests_count_side_cars_first_steps_and_limits(dumped):
    steps = [
        {"restartPolicy": "Always", "resources": {"requests": {"cpu": "100m"}}},
        {"resources": {"requests": {"cpu": "2"}}},
    ]
    limited = pod("p", "1", initContainers=steps, overhead={"cpu": "10m"})
    limited["spec"]["containers"][0]["resources"]["limits"] = {"cpu": "3", "memory": "1Gi"}
    # The second step beside the side car is 2100m, more than 1100m of the running pod.
    assert needs_of(dumped([node("a")], [limited])) == [(0, 1, {"cpu": "2110m", "memory": "1Gi"})]


def test_what_cannot_be_said_is_told(dumped):
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    ssd = {"key": "disk", "operator": "In", "values": ["ssd"]}
    terms = [
        {"matchExpressions": [ssd, {"key": "x", "operator": "Exists"}]},
        {"matchExpressions": [ssd], "matchFields": [{"key": "metadata.name"}]},
    ]
    affinity = {
        "nodeAffinity": {required: {"nodeSelectorTerms": terms}},
        "podAntiAffinity": {required: [{"topologyKey": "zone"}]},
    }
    spread = [{"maxSkew": 1}]
    bad = {"nodeAffinity": {required: {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": "x", "operator": "Gt", "values": ["many"]}]}]}}}  # fmt: skip
    done = pod("done", "1", "a")
    done["status"]["phase"] = "Succeeded"
    pods = [
        pod("p", "1", affinity=affinity, topologySpreadConstraints=spread),
        pod("q", "1", affinity=bad),
        pod("lost", "1", "gone"),
        done,
    ]
    imported = dumped([node("a", disk="ssd")], pods)
    assert imported.notes.reduced == {
        "pod with several alternative node affinity terms: only what all share is asked for": 1,
        "pod with node affinity on node fields (matchFields): not asked for": 1,
        "pod with pod anti-affinity: not asked for": 1,
        "pod with topology spread over pods: not asked for": 1,
        "pod with a node affinity expression that is no requirement: not asked for": 1,
    }
    assert imported.notes.skipped == {
        "pod on a node that is not in the dump of nodes": 1,
        "pod in phase Succeeded: it asks for nothing": 1,
    }
    asked = [need["requirements"] for need in imported.document["needs"]]
    assert sorted(asked, key=len) == [[], [ssd]]


def test_states_and_ways_to_pay(dumped):
    spot = node("spot", **{"karpenter.sh/capacity-type": "spot"})
    metal = node("metal")
    del metal["spec"]["providerID"]
    sick = node("sick", **{"node.kubernetes.io/instance-type": "m5.large"})
    sick["status"]["conditions"][0]["status"] = "Unknown"
    machines = dumped([spot, metal, sick], [pod("p", "1", "sick")]).document["machines"]
    told = [
        (m["id"], m["state"], m["capacityType"], m["pricePerHour"], m.get("instanceType"))
        for m in machines
    ]
    assert told == [
        ("metal", "CONFIGURED", "bare-metal", 0, None),
        ("sick", "FAILED", "on-demand", None, "m5.large"),
        ("spot", "CONFIGURED", "spot", None, None),
    ]
    assert "serves" not in machines[1]
    assert machines[2]["host"] == {"provider": "aws", "ref": "zone/spot"}


def test_a_node_serves_pods_whose_labels_it_has_before_others(dumped):
    moved = pod("moved", "2", "a", nodeSelector={"disk": "ssd"}, priority=9)
    imported = dumped([node("a")], [moved, pod("p", "1", "a")])
    assert needs_of(imported) == [(0, 1, {"cpu": "3"})]
    alone = dumped([node("a")], [moved])
    assert alone.notes.reduced == {
        "node without a label that its pods ask for: it serves their need": 1
    }


def test_a_node_that_holds_too_much_asks_for_what_it_has(dumped):
    imported = dumped([node("a")], [pod("p", "3", "a"), pod("q", "3", "a")])
    assert needs_of(imported) == [(0, 1, {"cpu": "4"})]
    assert "node whose pods ask for more than it has: its need asks for less" in (
        imported.notes.reduced
    )


def test_the_order_of_items_does_not_matter(dumped):
    nodes = [node("a"), node("b", disk="ssd"), node("c")]
    pods = [pod(f"p{i}", f"{i}00m", "a" if i % 2 else None, priority=i % 3) for i in range(1, 12)]
    assert dumped(nodes, pods).document == dumped(nodes[::-1], pods[::-1]).document


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda n, p: n["status"]["allocatable"].update(cpu="4 cores"), ".status.allocatable.cpu"),
        (lambda n, p: n["status"].update(allocatable=[]), ".status.allocatable"),
        (lambda n, p: n["metadata"].pop("name"), ".metadata.name"),
        (lambda n, p: n["metadata"].update(name="a\nb"), ".metadata.name"),
        (lambda n, p: n["metadata"].update(labels={"x": 1}), ".metadata.labels.x"),
        (lambda n, p: n["spec"].update(unschedulable="yes"), ".spec.unschedulable"),
        (lambda n, p: p["spec"].update(priority=2**31), ".spec.priority"),
        (lambda n, p: p["spec"].update(containers={}), ".spec.containers"),
        (lambda n, p: p["spec"].update(priority=True), ".spec.priority"),
        (lambda n, p: p.update(kind="Node"), ".kind"),
        (lambda n, p: p.pop("status"), ".status.phase"),
    ],
)
def test_faults_say_where(dumped, change, path):
    a_node, a_pod = node("a"), pod("p", "1")
    change(a_node, a_pod)
    with pytest.raises(InputFault) as caught:
        dumped([a_node], [a_pod])
    (fault,) = caught.value.faults
    assert fault.path.endswith(f".items[0]{path}")


def test_names_that_come_twice_are_faults(dumped):
    with pytest.raises(InputFault, match="the name 'a' stands for 2 objects"):
        dumped([node("a"), node("a")], [])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "null", '{"kind": "List"}', '{"kind": "PodList", "items": []}']
)
def test_what_is_no_dump_of_nodes_is_a_fault(tmp_path, text):
    path = tmp_path / "nodes.json"
    path.write_text(text)
    with pytest.raises(InputFault) as caught:
        import_kubectl(path, KUBECTL / "honeycomb_pods.json.gz")
    assert all(fault.path.startswith(str(path)) for fault in caught.value.faults)
