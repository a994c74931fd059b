"""Import one cluster from dumps of ``kubectl get nodes`` and ``kubectl get pods``.

Kubernetes shares a node among pods of many kinds, BigFleet gives a machine to one need. So:

1. DaemonSet pods ask for no machine: they come with every node.
2. Other pods are alike when they agree in requirements (nodeSelector and required node affinity)
   and priority; pods of different sizes are packed together.
3. A node in use serves, of the pods on it whose requirements it meets, those of the highest
   priority (then of the most cpu, then by name of their kind); the others are its guests. A need
   is such a kind of pods on one shape of node: it asks for what its fullest node has to hold,
   guests and DaemonSets included.
4. Pending pods are packed first fit decreasing onto new nodes of the shapes that match them, the
   commonest first, with room left for DaemonSets. One that no shape could hold asks for a machine
   of just its own size.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from models.labels import INSTANCE_TYPE
from models.machine import DEFAULT_SHARD
from models.quantity import format_quantity
from models.requirement import Requirement
from planner.importers.imported import Imported, ImportNotes, Row, fleet_document
from planner.importers.kubectl_objects import KubeNode, KubePod, read_kube_nodes, read_kube_pods
from planner.importers.packing import Load, Shape, first_fit_decreasing, fullest

DEFAULT_CLUSTER = "imported"

_CAPACITY_LABELS = {
    ("karpenter.sh/capacity-type", "spot"): "spot",
    ("karpenter.sh/capacity-type", "on-demand"): "on-demand",
    ("karpenter.sh/capacity-type", "reserved"): "reserved",
    ("eks.amazonaws.com/capacityType", "SPOT"): "spot",
    ("eks.amazonaws.com/capacityType", "ON_DEMAND"): "on-demand",
    ("cloud.google.com/gke-spot", "true"): "spot",
    ("cloud.google.com/gke-preemptible", "true"): "spot",
    ("kubernetes.azure.com/scalesetpriority", "spot"): "spot",
}
"""What clouds and provisioners write on their nodes about how these are paid for."""


@dataclass(frozen=True, slots=True, order=True)
class _Kind:
    """Pods that may share a node: alike in requirements and priority."""

    priority: int
    requirements: tuple[Requirement, ...]

    @property
    def name(self) -> str:
        """A name that depends on nothing but the kind, so that later imports give it again."""
        text = "\n".join(f"{r.key} {r.operator} {','.join(r.values)}" for r in self.requirements)
        return f"p{self.priority}-{_digest(text)}" if text else f"p{self.priority}"


@dataclass(slots=True)
class _Demand:
    """A need in the making: one for each kind and shape."""

    kind: _Kind
    asks: list[Mapping[str, int]] = field(default_factory=list)


@dataclass(slots=True)
class _Work:
    """The state of one import."""

    nodes: dict[str, KubeNode]
    demands: dict[tuple[str, str], _Demand] = field(default_factory=dict)
    serves: dict[str, tuple[str, str]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    reduced: Counter[str] = field(default_factory=Counter)
    packed: Counter[str] = field(default_factory=Counter)

    def ask(self, kind: _Kind, shape: str, amounts: Mapping[str, int]) -> tuple[str, str]:
        key = (kind.name, shape)
        self.demands.setdefault(key, _Demand(kind)).asks.append(amounts)
        return key


def import_kubectl(
    nodes_file: Path, pods_file: Path, *, cluster: str = DEFAULT_CLUSTER
) -> Imported:
    """Give the cluster's nodes as machines and its Running and Pending pods as needs.

    Raises
    ------
    InputFault
        When a file is no such dump, or a field of it is wrong.
    """
    nodes = read_kube_nodes(nodes_file)
    pods = read_kube_pods(pods_file)
    work = _Work({node.name: node for node in nodes})
    running, pending = _sorted_out(work, pods)
    daemons = _daemon_room(running)
    _running(work, running)
    _pending(work, pending, daemons)
    machines = _machines(work, cluster)
    needs = [_need(cluster, key, work.demands[key]) for key in sorted(work.demands)]
    document = fleet_document(cluster, machines, needs)
    document["shards"] = [{"name": DEFAULT_SHARD, "clusters": [cluster]}]
    notes = ImportNotes(
        read=(f"{nodes_file}: {len(nodes)} nodes.", f"{pods_file}: {len(pods)} pods."),
        skipped=dict(work.skipped),
        reduced=dict(work.reduced),
        assumed=_RULES,
        made=_made(work, machines),
    )
    return Imported(document, notes)


def _sorted_out(work: _Work, pods: Iterable[KubePod]) -> tuple[list[KubePod], list[KubePod]]:
    """Give the Running pods, DaemonSets' among them, and the Pending ones that ask for a node."""
    running, pending = [], []
    for pod in pods:
        if pod.phase not in ("Running", "Pending"):
            work.skipped[f"pod in phase {pod.phase}: it asks for nothing"] += 1
        elif pod.node and pod.node not in work.nodes:
            work.skipped["pod on a node that is not in the dump of nodes"] += 1
        elif pod.node:
            running.append(pod)
        elif pod.of_daemon_set:
            work.skipped["Pending pod of a DaemonSet: it comes with its node"] += 1
        else:
            pending.append(pod)
    for pod in (*running, *pending):
        if not pod.of_daemon_set:
            work.reduced.update(pod.unsaid)
    return running, pending


def _daemon_room(running: Iterable[KubePod]) -> dict[str, int]:
    """Give the most that DaemonSet pods take of each resource on any node."""
    by_node: dict[str, Counter[str]] = defaultdict(Counter)
    for pod in running:
        if pod.of_daemon_set:
            by_node[pod.node].update(pod.requests)
    most: Counter[str] = Counter()
    for taken in by_node.values():
        most |= taken
    return dict(most)


def _running(work: _Work, running: Iterable[KubePod]) -> None:
    """Let each node in use serve the most important kind of pods on it."""
    by_node: dict[str, list[KubePod]] = defaultdict(list)
    for pod in running:
        by_node[pod.node].append(pod)
    for name, pods in sorted(by_node.items()):
        node = work.nodes[name]
        held = Counter[str]()
        cpu: Counter[_Kind] = Counter()
        for pod in pods:
            held.update(pod.requests)
            if pod.of_daemon_set:
                work.packed["DaemonSet pods, as part of what their node holds"] += 1
            else:
                cpu[_kind(pod)] += pod.requests.get("cpu", 0)
        if not cpu:
            continue
        kind = _served(node, cpu)
        work.packed["pods on nodes in use, each need's guests included"] += sum(
            not pod.of_daemon_set for pod in pods
        )
        if any(held[key] > node.allocatable.get(key, 0) for key in held):
            work.reduced["node whose pods ask for more than it has: its need asks for less"] += 1
        if not _matches(node, kind):
            work.reduced["node without a label that its pods ask for: it serves their need"] += 1
        amounts = {key: min(held[key], node.allocatable.get(key, 0)) for key in held}
        work.serves[name] = work.ask(kind, _shape(node).name, amounts)


def _served(node: KubeNode, cpu: Mapping[_Kind, int]) -> _Kind:
    """Give the kind of pods that a node serves; ``cpu`` holds millicores of each kind on it.

    Requirements are met when a pod is placed, labels may change later: such pods come last.
    """
    return max(cpu, key=lambda kind: (_matches(node, kind), kind.priority, cpu[kind], kind.name))


def _pending(work: _Work, pending: Iterable[KubePod], daemons: Mapping[str, int]) -> None:
    """Pack each kind of Pending pods onto as many new nodes as it takes."""
    by_kind: dict[_Kind, list[KubePod]] = defaultdict(list)
    for pod in pending:
        by_kind[_kind(pod)].append(pod)
    for kind, pods in sorted(by_kind.items()):
        matching = [node for node in work.nodes.values() if _matches(node, kind) and node.ready]
        shapes = _shapes(matching, daemons)
        loads = {pod.name: Load(pod.name, pod.requests) for pod in pods}
        bins, too_large = first_fit_decreasing(loads.values(), shapes)
        for filled in bins:
            amounts = Counter(fullest([filled])) + Counter(daemons)
            work.ask(kind, filled.shape.name, amounts)
            work.packed["Pending pods, on new nodes"] += len(filled.loads)
        for load in too_large:
            text = "\n".join(f"{key} {amount}" for key, amount in sorted(load.amounts.items()))
            work.ask(kind, f"alone-{_digest(text)}", Counter(load.amounts) + Counter(daemons))
            work.packed["Pending pods that no shape holds, each on a machine of its own size"] += 1


def _shapes(nodes: Sequence[KubeNode], daemons: Mapping[str, int]) -> list[Shape]:
    """Give the shapes of the nodes less the room of DaemonSets, the commonest first."""
    counts = Counter(_shape(node).name for node in nodes)
    shapes = {}
    for node in nodes:
        whole = _shape(node)
        left = {key: max(0, room - daemons.get(key, 0)) for key, room in whole.amounts.items()}
        shapes[whole.name] = Shape(whole.name, left)
    return [shapes[name] for name in sorted(shapes, key=lambda name: (-counts[name], name))]


def _shape(node: KubeNode) -> Shape:
    """Give the shape of a node: all that agree in instance type and allocatable resources."""
    text = "\n".join(f"{key} {amount}" for key, amount in sorted(node.allocatable.items()))
    return Shape(f"{_instance_type(node) or 'node'}-{_digest(text)}", node.allocatable)


def _kind(pod: KubePod) -> _Kind:
    return _Kind(pod.priority, pod.requirements)


def _matches(node: KubeNode, kind: _Kind) -> bool:
    return all(asked.matches(node.labels.get(asked.key)) for asked in kind.requirements)


def _digest(text: str) -> str:
    """Give a short name of a text; eight digits tell the few hundred kinds of a cluster apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _instance_type(node: KubeNode) -> str:
    return node.labels.get(INSTANCE_TYPE) or node.labels.get("beta.kubernetes.io/instance-type", "")


def _machines(work: _Work, cluster: str) -> list[Row]:
    """Give a machine for each node; a provider id that two nodes share names neither."""
    ids = Counter(node.provider_id for node in work.nodes.values())
    rows = []
    for node in work.nodes.values():
        provider, _, ref = node.provider_id.partition("://")
        if ids[node.provider_id] > 1 and node.provider_id:
            work.reduced["node whose provider id another node has too: named by its name"] += 1
            ref = ""
        if node.taints:
            work.reduced["node with taints: any need that matches its labels may get it"] += 1
        if node.cordoned:
            work.reduced["node that is cordoned: imported as one in use"] += 1
        if not node.ready:
            work.reduced["node that is not ready: imported as FAILED"] += 1
        capacity_type = _capacity_type(node)
        row: Row = {
            "id": node.name,
            "shard": DEFAULT_SHARD,
            "state": "CONFIGURED" if node.ready else "FAILED",
            "host": {"provider": provider or "node", "ref": ref.lstrip("/") or node.name},
            "cluster": cluster,
            "capacityType": capacity_type,
            "pricePerHour": 0 if capacity_type == "bare-metal" else None,
            "resources": _written(node.allocatable),
            "labels": {k: v for k, v in node.labels.items() if k != INSTANCE_TYPE},
        }
        if _instance_type(node):
            row["instanceType"] = _instance_type(node)
        if node.ready and node.name in work.serves:
            row["serves"] = _need_id(cluster, work.serves[node.name])
        rows.append(row)
    return rows


def _capacity_type(node: KubeNode) -> str:
    for (key, value), capacity_type in _CAPACITY_LABELS.items():
        if node.labels.get(key) == value:
            return capacity_type
    return "on-demand" if node.provider_id else "bare-metal"


def _need(cluster: str, key: tuple[str, str], demand: _Demand) -> Row:
    most: Counter[str] = Counter()
    for amounts in demand.asks:
        most |= Counter(amounts)
    # The number of pods was for the packing: machines of a price list do not say theirs.
    del most["pods"]
    requirements = [
        {"key": asked.key, "operator": str(asked.operator)}
        | ({"values": list(asked.values)} if asked.values else {})
        for asked in demand.kind.requirements
    ]
    return {
        "id": _need_id(cluster, key),
        "cluster": cluster,
        "priority": demand.kind.priority,
        "count": len(demand.asks),
        "resources": _written(most),
        "requirements": requirements,
    }


def _need_id(cluster: str, key: tuple[str, str]) -> str:
    return f"{cluster}/{key[0]}-{key[1]}"


def _written(amounts: Mapping[str, int]) -> dict[str, str]:
    return {key: format_quantity(amounts[key], key) for key in sorted(amounts)}


_RULES = (
    "DaemonSet pods ask for no machine: they come with every node, and each need has room for "
    "what they take at most.",
    "a node in use serves, of its pods whose requirements it meets, those of the highest priority "
    "(then of the most cpu); the other pods on it are their guests.",
    "a need is all pods alike in nodeSelector, required node affinity and priority, on one shape "
    "of node; it asks for what its fullest node holds, its count is nodes in use and nodes wanted.",
    "Pending pods are packed first fit decreasing onto new nodes of the shapes that match them, "
    "the commonest first; one that none could hold asks for a machine of its own size.",
    "resources are the allocatable ones, nvidia.com/gpu and amd.com/gpu as gpu; the number of "
    "pods a node may hold is a limit of the packing only.",
    "how a node is paid for is read from its labels; without one it is on-demand when it has a "
    "provider id, else bare-metal. The price is unknown, of bare-metal 0.",
    "penalties are 0: nothing in the dumps says what an interruption costs.",
)


def _made(work: _Work, machines: Sequence[Row]) -> tuple[str, ...]:
    lines = [f"{len(machines)} machines, {len(work.demands)} needs."]
    lines += [f"{count} {what}." for what, count in sorted(work.packed.items())]
    return tuple(lines)
