"""Read the dumps of ``kubectl get nodes -o json`` and ``kubectl get pods -A -o json``."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from models.errors import Fault, InputFault
from models.requirement import Operator, Requirement
from planner.importers.json_place import Place
from planner.importers.reading import read_json

GPU_RESOURCES = ("nvidia.com/gpu", "amd.com/gpu")
"""Extended resources that become ``gpu``, the name under which the price lists count GPUs."""

_MANY_TERMS = "pod with several alternative node affinity terms: only what all share is asked for"
_FIELDS = "pod with node affinity on node fields (matchFields): not asked for"
_REFUSED = "pod with a node affinity expression that is no requirement: not asked for"

_UNSAID = {
    ("affinity", "podAffinity"): "pod with pod affinity: not asked for",
    ("affinity", "podAntiAffinity"): "pod with pod anti-affinity: not asked for",
    ("affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"):
        "pod with preferred node affinity: not asked for",
    ("topologySpreadConstraints",): "pod with topology spread over pods: not asked for",
}  # fmt: skip
"""Parts of a pod's spec that a need for whole machines cannot say, and how that is told."""


@dataclass(frozen=True, slots=True)
class KubeNode:
    """A node: ``allocatable`` in internal units; ``provider_id`` is empty where there is none."""

    name: str
    provider_id: str
    labels: dict[str, str]
    allocatable: dict[str, int]
    ready: bool
    cordoned: bool
    taints: int


@dataclass(frozen=True, slots=True)
class KubePod:
    """A pod: ``requests`` in internal units, with one of ``pods``; ``node`` is empty when none.

    ``unsaid`` are the parts of it that a need cannot say.
    """

    name: str
    phase: str
    node: str
    of_daemon_set: bool
    priority: int
    requests: dict[str, int]
    requirements: tuple[Requirement, ...]
    unsaid: tuple[str, ...]


def read_kube_nodes(path: Path) -> list[KubeNode]:
    """Give the nodes of a dump by name.

    Raises
    ------
    InputFault
        With every field that is wrong, or else every name that comes twice.
    """
    faults: list[Fault] = []
    nodes = [_node(item) for item in _listed(path, "Node", faults)]
    _check(path, faults, (node.name for node in nodes))
    return sorted(nodes, key=lambda node: node.name)


def read_kube_pods(path: Path) -> list[KubePod]:
    """Give the pods of a dump by ``namespace/name``.

    Raises
    ------
    InputFault
        With every field that is wrong, or else every name that comes twice.
    """
    faults: list[Fault] = []
    pods = [_pod(item) for item in _listed(path, "Pod", faults)]
    _check(path, faults, (pod.name for pod in pods))
    return sorted(pods, key=lambda pod: pod.name)


def _listed(path: Path, kind: str, faults: list[Fault]) -> list[Place]:
    """Give the objects of a list: kubectl writes kind List, the API server NodeList or PodList."""
    top = Place(read_json(path), str(path), faults)
    said = top.at("kind").text("")
    if said not in ("List", f"{kind}List") or not isinstance(top.at("items").value, list):
        wanted = f"a List or {kind}List with items"
        raise InputFault([Fault(str(path), f"is not {wanted}, as kubectl writes it.")])
    items = list(top.at("items").items())
    for item in items:
        inner = item.at("kind").text(kind)
        if inner != kind:
            faults.append(Fault(f"{item.path}.kind", f"{inner!r} is not {kind}."))
    return items


def _check(path: Path, faults: list[Fault], names: Iterable[str]) -> None:
    repeated = [
        Fault(str(path), f"the name {name!r} stands for {count} objects; names must be unique.")
        for name, count in sorted(Counter(names).items())
        if count > 1
    ]
    if faults or repeated:
        raise InputFault(faults or repeated)


def _node(item: Place) -> KubeNode:
    conditions = {
        condition.at("type").text(""): condition.at("status").text("")
        for condition in item.at("status", "conditions").items()
    }
    return KubeNode(
        name=item.at("metadata", "name").text(),
        provider_id=item.at("spec", "providerID").text(""),
        labels=item.at("metadata", "labels").texts(),
        allocatable=_gpus_renamed(item.at("status", "allocatable").quantities()),
        ready=conditions.get("Ready") == "True",
        cordoned=item.at("spec", "unschedulable").flag(),
        taints=len(list(item.at("spec", "taints").items())),
    )


def _pod(item: Place) -> KubePod:
    spec = item.at("spec")
    requirements, unsaid = _requirements(spec)
    unsaid += [said for keys, said in _UNSAID.items() if spec.at(*keys).is_there]
    owners = [owner.at("kind").text("") for owner in item.at("metadata", "ownerReferences").items()]
    namespace = item.at("metadata", "namespace").text("default")
    return KubePod(
        name=f"{namespace}/{item.at('metadata', 'name').text()}",
        phase=item.at("status", "phase").text(),
        node=spec.at("nodeName").text(""),
        of_daemon_set="DaemonSet" in owners,
        priority=spec.at("priority").whole(-(2**31), 2**31 - 1),
        requests={**_requests(spec), "pods": 1},
        requirements=requirements,
        unsaid=tuple(sorted(unsaid)),
    )


def _requests(spec: Place) -> dict[str, int]:
    """Give what the scheduler sets aside for a pod.

    The containers' sum, or the largest start-up step if that is more; init containers that go on
    running (sidecars) count with the containers and with each later step. Plus the overhead.
    """
    together: Counter[str] = Counter()
    steps: list[Counter[str]] = []
    for container in spec.at("initContainers").items():
        own = Counter(_container(container))
        steps.append(together + own)
        if container.at("restartPolicy").text("") == "Always":
            together += own
    for container in spec.at("containers").items():
        together += Counter(_container(container))
    for step in steps:
        together |= step
    return _gpus_renamed(dict(together + Counter(spec.at("overhead").quantities())))


def _container(container: Place) -> dict[str, int]:
    """Give the requests; a limit without a request is one, as the API server fills it in."""
    resources = container.at("resources")
    return {**resources.at("limits").quantities(), **resources.at("requests").quantities()}


def _gpus_renamed(amounts: dict[str, int]) -> dict[str, int]:
    renamed: Counter[str] = Counter()
    for key, amount in amounts.items():
        renamed["gpu" if key in GPU_RESOURCES else key] += amount
    return dict(renamed)


def _requirements(spec: Place) -> tuple[tuple[Requirement, ...], list[str]]:
    """Give nodeSelector and required node affinity as requirements, and what they leave out."""
    selector = spec.at("nodeSelector").texts()
    found = {Requirement(key, Operator.IN, (value,)) for key, value in selector.items() if key}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = list(spec.at("affinity", "nodeAffinity", required, "nodeSelectorTerms").items())
    unsaid: set[str] = set()
    asked: list[set[Requirement]] = []
    for term in terms:
        if term.at("matchFields").is_there:
            unsaid.add(_FIELDS)
        expressions = [_requirement(e) for e in term.at("matchExpressions").items()]
        if None in expressions:
            unsaid.add(_REFUSED)
        asked.append({expression for expression in expressions if expression is not None})
    if asked:
        shared = set.intersection(*asked)
        found |= shared
        if any(term != shared for term in asked):
            unsaid.add(_MANY_TERMS)
    return tuple(sorted(found)), sorted(unsaid)


def _requirement(expression: Place) -> Requirement | None:
    """Give an expression as a requirement; None when its values do not suit the operator."""
    values = tuple(sorted({value.text("") for value in expression.at("values").items()}))
    written = expression.at("operator").text()
    try:
        operator = Operator(written)
        return Requirement(expression.at("key").text(), operator, values)
    except ValueError:
        return None
