"""Pack loads onto node shapes, first fit decreasing, with shared GPUs in thousandths.

A load goes to the first open bin that takes it, the largest load first; when none does, a bin of
the first shape in the caller's order that takes it and has a node left is opened. Inside a bin a
load takes the GPUs with the least room that is enough. Deterministic: ties go by name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

WHOLE_GPU = 1000
"""Thousandths in one GPU."""


@dataclass(frozen=True, slots=True)
class Load:
    """One pod: what it needs. It takes ``gpu_thousandths`` of each of ``gpus`` different GPUs."""

    name: str
    amounts: Mapping[str, int]
    gpus: int = 0
    gpu_thousandths: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """All nodes alike; ``name`` tells shapes apart. ``amounts`` is what one node holds."""

    name: str
    amounts: Mapping[str, int]
    gpus: int = 0


@dataclass(slots=True)
class Bin:
    """One node being filled; changed only by ``put``.

    ``gpus_of`` says for each of ``loads`` which GPUs it takes, by number.
    """

    shape: Shape
    loads: list[Load] = field(default_factory=list)
    gpus_of: list[tuple[int, ...]] = field(default_factory=list)
    free: dict[str, int] = field(init=False)
    gpu_free: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """Start empty."""
        self.free = dict(self.shape.amounts)
        self.gpu_free = [WHOLE_GPU] * self.shape.gpus

    def put(self, load: Load) -> bool:
        """Take the load if there is room for all of it; else change nothing and say no."""
        if any(amount > self.free.get(key, 0) for key, amount in load.amounts.items() if amount):
            return False
        fitting = sorted(
            (room, g) for g, room in enumerate(self.gpu_free) if room >= load.gpu_thousandths
        )
        if len(fitting) < load.gpus:
            return False
        taken = tuple(g for _, g in fitting[: load.gpus])
        for g in taken:
            self.gpu_free[g] -= load.gpu_thousandths
        for key, amount in load.amounts.items():
            if amount:
                self.free[key] -= amount
        self.loads.append(load)
        self.gpus_of.append(taken)
        return True

    @property
    def used(self) -> dict[str, int]:
        """What the loads take together, for each key of the shape."""
        return {key: self.shape.amounts[key] - room for key, room in self.free.items()}

    @property
    def gpus_used(self) -> int:
        """How many of its GPUs any load touches."""
        return sum(room < WHOLE_GPU for room in self.gpu_free)


def first_fit_decreasing(
    loads: Iterable[Load], shapes: Sequence[Shape], nodes_left: Mapping[str, int] | None = None
) -> tuple[list[Bin], list[Load]]:
    """Give the filled bins in the order of their opening, and the loads that no shape took.

    ``nodes_left`` says how many bins of each shape may be opened, by its name; None: any number.
    """
    left = dict(nodes_left) if nodes_left is not None else None
    bins: list[Bin] = []
    unpacked: list[Load] = []
    for load in sorted(loads, key=_largest_first):
        if any(open_bin.put(load) for open_bin in bins):
            continue
        for shape in shapes:
            fresh = Bin(shape)
            if (left is None or left.get(shape.name, 0) > 0) and fresh.put(load):
                bins.append(fresh)
                if left is not None:
                    left[shape.name] -= 1
                break
        else:
            unpacked.append(load)
    return bins, unpacked


def _largest_first(load: Load) -> tuple[int, tuple[int, ...], str]:
    amounts = tuple(-amount for _, amount in sorted(load.amounts.items()))
    return -load.gpus * load.gpu_thousandths, amounts, load.name


def fullest(bins: Iterable[Bin]) -> dict[str, int]:
    """Give the largest use of each resource over the bins, each resource for itself."""
    most: dict[str, int] = {}
    for filled in bins:
        for key, amount in filled.used.items():
            most[key] = max(most.get(key, 0), amount)
    return most
