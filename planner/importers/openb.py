"""Import the OpenB trace (Alibaba, 2023): its nodes as an inventory, its pods as needs."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.errors import Fault, InputFault
from planner.importers.gpu_models import GPU_MODEL_LABEL
from planner.importers.imported import Document, Imported, ImportNotes, Row, fleet_document
from planner.importers.openb_rollup import USED_PHASES, Group, PackedNode, Rollup, roll_up, shape_of
from planner.importers.openb_table import Node, Pod, read_nodes, read_pods
from planner.importers.packing import fullest

DEFAULT_PODS = "pods_gpuspec33.csv.gz"
"""The pods of ``pods_default.csv.gz`` with the same phases, of which 2388 are bound to models."""

PROVIDER = "openb"

PRIORITIES = {"Guaranteed": 1_000_000, "LS": 900_000, "Burstable": 500_000, "BE": 100_000}
"""Priority of each QoS class, highest first. Two of them are tier 1 (from 900000), and each step
is at least the 100000 that a preemption across shards needs."""

ONLINE = ("Guaranteed", "LS")
"""QoS classes of services that somebody waits for: their nodes cost something to interrupt."""

ONLINE_PENALTY = 5000.0
"""USD for one interruption of a node of online services: half an hour at 10,000 USD an hour.

An assumption without a source, as the trace holds no money. Per-hour interruption rates of the
spot advisor are below 0.0004, so a penalty below some 1000 USD would leave spot the cheaper
choice for every type."""


@dataclass(frozen=True, slots=True)
class _Cluster:
    """All online, or all batch groups with the same models; ``nodes`` are running and wanted."""

    name: str
    nodes: tuple[PackedNode, ...]
    shard: str

    @property
    def wanted(self) -> int:
        return sum(packed.node is None for packed in self.nodes)


def import_openb(
    folder: Path,
    *,
    pods: str = DEFAULT_PODS,
    shards: int = 3,
    online_penalty: float = ONLINE_PENALTY,
) -> Imported:
    """Give the cluster over ``shards`` shards, with its Running and Pending pods as needs.

    ``folder`` holds ``nodes.csv`` and the file of pods. The rules are in ``openb_rollup`` and in
    the notes.

    Raises
    ------
    InputFault
        When a file cannot be read, a row is wrong, or a QoS class has no priority.
    """
    if shards < 1:
        raise InputFault([Fault("shards", f"{shards} is too few; there must be at least 1.")])
    nodes = read_nodes(folder / "nodes.csv")
    all_pods = read_pods(folder / pods)
    used = [pod for pod in all_pods if pod.phase in USED_PHASES]
    _check_qos(folder / pods, used)
    rollup = roll_up(nodes, used, tuple(PRIORITIES))
    clusters = _clusters(rollup, shards)
    document = _document(nodes, clusters, shards, online_penalty)
    return Imported(
        document,
        ImportNotes(
            read=_read(folder, pods, nodes, all_pods),
            skipped=_skipped(all_pods, rollup),
            assumed=_rules(online_penalty),
            made=_made(document, clusters, rollup),
        ),
    )


def _check_qos(path: Path, pods: Sequence[Pod]) -> None:
    unknown = sorted({pod.qos for pod in pods} - set(PRIORITIES))
    known = ", ".join(PRIORITIES)
    if unknown:
        raise InputFault(
            [Fault(f"{path}: qos", f"{q!r} has no priority; known are {known}.") for q in unknown]
        )


def _clusters(rollup: Rollup, shards: int) -> list[_Cluster]:
    """Deal the clusters out, the largest first, each to the shard that has fewest nodes so far."""
    nodes: dict[str, list[PackedNode]] = defaultdict(list)
    for packed in rollup.packed:
        nodes[_cluster_name(packed.group)].append(packed)
    load = {f"s{number}": 0 for number in range(shards)}
    dealt = []
    for name, members in sorted(nodes.items(), key=lambda item: (-len(item[1]), item[0])):
        shard = min(load, key=lambda shard: load[shard])
        load[shard] += len(members)
        dealt.append(_Cluster(name, tuple(members), shard))
    return dealt


def _cluster_name(group: Group) -> str:
    models = ("-".join(group.models).lower() or "any-gpu") if group.needs_gpu else "cpu"
    return f"{models}-{'online' if group.qos in ONLINE else 'batch'}"


def _need_id(packed: PackedNode) -> str:
    group = packed.group
    return f"{_cluster_name(group)}/{group.qos.lower()}-{packed.filled.shape.name}"


def _document(
    nodes: Sequence[Node], clusters: Sequence[_Cluster], shards: int, online_penalty: float
) -> Document:
    needs: dict[str, list[PackedNode]] = defaultdict(list)
    serving: dict[str, tuple[_Cluster, str]] = {}
    for cluster in clusters:
        for packed in cluster.nodes:
            needs[_need_id(packed)].append(packed)
            if packed.node is not None:
                serving[packed.node.name] = (cluster, _need_id(packed))
    machines = []
    dealt: Counter[str] = Counter()
    for node in nodes:
        machine = _machine(node)
        if node.name in serving:
            owner, need = serving[node.name]
            machine |= {"shard": owner.shard, "state": "CONFIGURED"}
            machine |= {"cluster": owner.name, "serves": need}
        else:
            turn = dealt[machine["instanceType"]] % shards
            dealt[machine["instanceType"]] += 1
            machine |= {"shard": f"s{turn}", "state": "IDLE"}
        machines.append(machine)
    rows = [_need(identity, needs[identity], online_penalty) for identity in sorted(needs)]
    document = fleet_document("openb", machines, rows)
    document["shards"] = [
        {"name": shard, "clusters": sorted(c.name for c in clusters if c.shard == shard)}
        for shard in (f"s{number}" for number in range(shards))
    ]
    return document


def _machine(node: Node) -> Row:
    labels = {GPU_MODEL_LABEL: node.model} if node.model else {}
    amounts = {"cpu_millis": node.cpu_millis, "memory_mib": node.memory_mib}
    return {
        "id": node.name,
        "host": {"provider": PROVIDER, "ref": node.name},
        "instanceType": shape_of(node).name,
        "capacityType": "bare-metal",
        "pricePerHour": 0,
        "resources": _resources(amounts, node.gpus),
        "labels": labels,
    }


def _need(identity: str, members: Sequence[PackedNode], online_penalty: float) -> Row:
    """Ask, for each node, for what the fullest of them holds in each resource."""
    group = members[0].group
    gpus = max(packed.filled.gpus_used for packed in members)
    need: Row = {
        "id": identity,
        "cluster": _cluster_name(group),
        "priority": PRIORITIES[group.qos],
        "count": len(members),
        "resources": _resources(fullest(packed.filled for packed in members), gpus),
        "interruptionPenalty": online_penalty if group.qos in ONLINE else 0,
        "reclamationPenalty": 0,
    }
    if group.models:
        models = list(group.models)
        need["requirements"] = [{"key": GPU_MODEL_LABEL, "operator": "In", "values": models}]
    return need


def _resources(amounts: Mapping[str, int], gpus: int) -> dict[str, str]:
    resources = {"cpu": f"{amounts['cpu_millis']}m", "memory": f"{amounts['memory_mib']}Mi"}
    return resources | ({"gpu": str(gpus)} if gpus else {})


def _read(
    folder: Path, pods: str, nodes: Sequence[Node], all_pods: Sequence[Pod]
) -> tuple[str, ...]:
    phases = Counter(pod.phase for pod in all_pods)
    counts = ", ".join(f"{count} {phase}" for phase, count in sorted(phases.items()))
    gpus = sum(node.gpus for node in nodes)
    bound = sum(bool(pod.models) for pod in all_pods)
    return (
        f"{folder / 'nodes.csv'}: {len(nodes)} nodes, {gpus} GPUs.",
        f"{folder / pods}: {len(all_pods)} pods ({counts}), {bound} bound to GPU models.",
    )


def _skipped(all_pods: Sequence[Pod], rollup: Rollup) -> dict[str, int]:
    skipped = Counter(
        f"pod in phase {pod.phase}: it asks for nothing"
        for pod in all_pods
        if pod.phase not in USED_PHASES
    )
    if rollup.unpacked:
        why = "pod that no node shape its group may use could hold"
        skipped[why] += len(rollup.unpacked)
    return dict(skipped)


def _rules(online_penalty: float) -> tuple[str, ...]:
    priorities = ", ".join(f"{qos} {priority}" for qos, priority in PRIORITIES.items())
    return (
        "a group is all pods alike in the GPU models allowed and in QoS; a node holds one group.",
        "pods are packed first fit decreasing (GPU thousandths, cpu, memory, name); a fractional "
        "pod shares one GPU, a pod of several takes that many.",
        "Running pods are packed anew onto the real nodes, as the trace does not say which node "
        "each runs on: groups with the fewest nodes to choose from first, then by QoS.",
        "a group opens nodes of the commonest shape it may use first; pods without a GPU take "
        "nodes without one first, then those with the fewest GPUs, after all GPU pods.",
        "Pending pods are packed onto new nodes and never fill up the nodes of Running ones.",
        "a need is a group on one shape: it asks for what its fullest node holds of each resource "
        "and for the GPU models; its count is the nodes in use and the nodes wanted.",
        f"QoS is the priority: {priorities}.",
        f"interrupting a node of {' or '.join(ONLINE)} pods costs {online_penalty:g} USD (half an "
        "hour at twice that an hour; no source), one of others 0; reclaiming costs 0.",
        f"a cluster is all groups with the same GPU models, {' and '.join(ONLINE)} (online) apart "
        "from the others (batch): within a cluster, more important pods take nodes over by "
        "themselves.",
        "clusters are dealt out by nodes, the largest first, each to the shard with the fewest.",
        "a node in use is in its cluster's shard; the idle nodes of each shape are dealt out one "
        "by one in the order of their names, so that idle room is not always where it is wanted.",
        "nodes are owned hardware: bare-metal, price 0, never interrupted; the trace names no "
        "zone or region, so none is given.",
    )


def _made(document: Document, clusters: Sequence[_Cluster], rollup: Rollup) -> tuple[str, ...]:
    states = Counter((row["shard"], row["state"]) for row in document["machines"])
    lines = [f"{len(document['machines'])} machines, {len(document['needs'])} needs."]
    for shard in document["shards"]:
        name = shard["name"]
        held = f"{states[name, 'CONFIGURED']} CONFIGURED and {states[name, 'IDLE']} IDLE machines"
        lines.append(f"shard {name}: {held}, {len(shard['clusters'])} clusters.")
    for cluster in clusters:
        running = len(cluster.nodes) - cluster.wanted
        lines.append(
            f"cluster {cluster.name} in {cluster.shard}: {running} nodes in use, "
            f"{cluster.wanted} more wanted."
        )
    if rollup.displaced:
        lines.append(f"{rollup.displaced} Running pods had no node left and are wanted anew.")
    return tuple(lines)
