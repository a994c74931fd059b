"""Roll the pods of the OpenB trace up into nodes: which node serves which group of pods.

1. A group is all pods alike in GPU models allowed and QoS; a node holds pods of one group only,
   since a machine serves one need.
2. Running pods are packed onto the real nodes, groups with fewer nodes to choose from first, then
   models, then QoS from the highest; groups without a GPU come last.
3. A group opens nodes of the commonest shape it may use first, by number of nodes, then name; a
   group without a GPU takes nodes without one first, then those with the fewest GPUs.
4. Pending pods, and Running ones for which no node was left, are packed the same way onto as many
   new nodes as it takes; they never fill up the nodes of the Running ones.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from planner.importers.openb_table import Node, Pod
from planner.importers.packing import Bin, Load, Shape, first_fit_decreasing

USED_PHASES = ("Running", "Pending")


@dataclass(frozen=True, slots=True)
class Group:
    """Pods that may share a node: ``models`` is empty for any GPU, or when there is none."""

    needs_gpu: bool
    models: tuple[str, ...]
    qos: str


@dataclass(frozen=True, slots=True)
class PackedNode:
    """One node's worth of a group's pods; ``node`` is None for a node that is wanted."""

    group: Group
    filled: Bin
    node: Node | None


@dataclass(frozen=True, slots=True)
class Rollup:
    """All pods, each once: in a packed node, or in ``unpacked`` when no shape could hold it.

    ``displaced`` counts Running pods for which no real node was left; they are among the wanted.
    """

    packed: tuple[PackedNode, ...]
    unpacked: tuple[Pod, ...]
    displaced: int


def shape_of(node: Node) -> Shape:
    """Give the shape of a node, named by model, GPUs, cores and memory: ``t4x2-104c-512g``."""
    cores = _short(node.cpu_millis, 1000, "c", "m")
    memory = _short(node.memory_mib, 1024, "g", "mi")
    name = f"{_word(node.model) or 'gpu'}x{node.gpus}" if node.gpus else "cpu"
    amounts = {"cpu_millis": node.cpu_millis, "memory_mib": node.memory_mib}
    return Shape(f"{name}-{cores}-{memory}", amounts, node.gpus)


def roll_up(nodes: Sequence[Node], pods: Iterable[Pod], qos_order: Sequence[str]) -> Rollup:
    """Pack Running pods onto the nodes and Pending ones onto nodes that are wanted.

    ``qos_order`` is from the most important; every pod's QoS must be in it. Pods in another phase
    must be left out by the caller. Same answer whatever the order of nodes and pods.
    """
    pods_by_group: dict[Group, list[Pod]] = defaultdict(list)
    for pod in pods:
        group = Group(pod.gpus > 0, pod.models if pod.gpus else (), pod.qos)
        pods_by_group[group].append(pod)
    stock = _Stock(nodes)
    packed: list[PackedNode] = []
    unpacked: list[Pod] = []
    displaced = 0
    for group in sorted(pods_by_group, key=lambda group: _turn(group, stock, qos_order)):
        shapes = stock.shapes_for(group)
        members = pods_by_group[group]
        running = [_load(pod) for pod in members if pod.phase == "Running"]
        pending = [_load(pod) for pod in members if pod.phase != "Running"]
        bins, without_node = first_fit_decreasing(running, shapes, stock.left())
        packed += [PackedNode(group, filled, stock.take(filled.shape)) for filled in bins]
        wanted, too_large = first_fit_decreasing(pending + without_node, shapes)
        packed += [PackedNode(group, filled, None) for filled in wanted]
        refused = {load.name for load in too_large}
        unpacked += [pod for pod in members if pod.name in refused]
        displaced += sum(load.name not in refused for load in without_node)
    return Rollup(tuple(packed), tuple(unpacked), displaced)


def _turn(
    group: Group, stock: "_Stock", qos_order: Sequence[str]
) -> tuple[bool, int, tuple[str, ...], int]:
    """Give the sort key of a group among all: rule 2 of this module."""
    choice = sum(stock.sizes[shape.name] for shape in stock.shapes_for(group))
    return not group.needs_gpu, choice, group.models, qos_order.index(group.qos)


class _Stock:
    """The nodes not yet taken, by shape, lowest name first."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._free: dict[str, list[Node]] = defaultdict(list)
        self._shapes: dict[str, Shape] = {}
        self._models: dict[str, str] = {}
        for node in sorted(nodes, key=lambda node: node.name, reverse=True):
            shape = shape_of(node)
            self._free[shape.name].append(node)
            self._shapes[shape.name] = shape
            self._models[shape.name] = node.model
        self.sizes = Counter({name: len(free) for name, free in self._free.items()})

    def shapes_for(self, group: Group) -> list[Shape]:
        """Give the shapes that a group may use, in the order in which it tries them."""
        fitting = [
            shape
            for name, shape in self._shapes.items()
            if not group.needs_gpu
            or (shape.gpus and (not group.models or self._models[name] in group.models))
        ]
        if group.needs_gpu:
            return sorted(fitting, key=lambda shape: (-self.sizes[shape.name], shape.name))
        return sorted(fitting, key=lambda s: (s.gpus, -self.sizes[s.name], s.name))

    def left(self) -> dict[str, int]:
        return {name: len(free) for name, free in self._free.items()}

    def take(self, shape: Shape) -> Node:
        return self._free[shape.name].pop()


def _load(pod: Pod) -> Load:
    amounts = {"cpu_millis": pod.cpu_millis, "memory_mib": pod.memory_mib}
    return Load(pod.name, amounts, pod.gpus, pod.gpu_thousandths)


def _short(amount: int, unit: int, large: str, small: str) -> str:
    return f"{amount // unit}{large}" if amount % unit == 0 else f"{amount}{small}"


def _word(text: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower())
