"""Read the OpenB trace: nodes and pods, each row checked, every fault with its row and column."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from models.errors import Fault, InputFault
from planner.importers.packing import WHOLE_GPU
from planner.importers.reading import read_columns, whole
from providers.convert import Row

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = (
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase",
)  # fmt: skip

MOST_GPUS = 1024
"""GPUs of one node or pod; a number above it is a slip, and would fill the memory."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node of the cluster; ``model`` is empty when it has no GPU."""

    name: str
    cpu_millis: int
    memory_mib: int
    gpus: int
    model: str


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod; ``models`` are the GPU models it may run on, sorted, empty for any."""

    name: str
    cpu_millis: int
    memory_mib: int
    gpus: int
    gpu_thousandths: int
    models: tuple[str, ...]
    qos: str
    phase: str


def read_nodes(path: Path) -> list[Node]:
    """Give the nodes by name.

    Raises
    ------
    InputFault
        With every row that is wrong, or else every name that comes twice.
    """
    rows = read_columns(path, NODE_COLUMNS)
    nodes = [
        Node(
            name=row.text("sn"),
            cpu_millis=whole(row, "cpu_milli"),
            memory_mib=whole(row, "memory_mib"),
            gpus=whole(row, "gpu", MOST_GPUS),
            model=row.cells["model"].strip(),
        )
        for row in rows
    ]
    _check(path, rows, [node.name for node in nodes])
    return sorted(nodes, key=lambda node: node.name)


def read_pods(path: Path) -> list[Pod]:
    """Give the pods by name, in whatever phase.

    Raises
    ------
    InputFault
        With every row that is wrong, or else every name that comes twice.
    """
    rows = read_columns(path, POD_COLUMNS)
    pods = [
        Pod(
            name=row.text("name"),
            cpu_millis=whole(row, "cpu_milli"),
            memory_mib=whole(row, "memory_mib"),
            gpus=whole(row, "num_gpu", MOST_GPUS),
            gpu_thousandths=whole(row, "gpu_milli", WHOLE_GPU),
            models=_models(row.cells["gpu_spec"]),
            qos=row.cells["qos"],
            phase=row.cells["pod_phase"],
        )
        for row in rows
    ]
    _check(path, rows, [pod.name for pod in pods])
    return sorted(pods, key=lambda pod: pod.name)


def _models(spec: str) -> tuple[str, ...]:
    """Give the models of ``V100M16|V100M32|V100M32``, each once: the trace repeats some."""
    return tuple(sorted({name.strip() for name in spec.split("|")} - {""}))


def _check(path: Path, rows: list[Row], names: list[str]) -> None:
    """Raise what was noted while the cells were read, or else the names that come twice."""
    for row in rows[:1]:
        row.faults.raise_any()
    faults = [
        Fault(str(path), f"the name {name!r} stands in {count} rows; names must be unique.")
        for name, count in sorted(Counter(names).items())
        if count > 1
    ]
    if faults:
        raise InputFault(faults)
