"""The fleet as immutable columns: what an engine reads.

Machines are sorted by (class, id), so that rows of one class stand together and the order of rows
in a file never shows. Engines count by *cell*, which is a (class, topology domain) pair, and look
at single machines only where a name is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models import labels
from models.distinct import distinct
from models.machine import CapacityType
from models.need import Need

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MachineClass:
    """What all machines of a class have in common. Classes compare by these fields in this order.

    ``resources`` follows ``Fleet.resources``, ``labels`` ``Fleet.class_labels``; None = absent.
    """

    provider: str
    instance_type: str
    capacity_type: CapacityType
    price_per_hour: float
    interruption_probability: float
    resources: tuple[int, ...]
    labels: tuple[str | None, ...]

    @property
    def name(self) -> str:
        """Give a short name for people; not unique where only price or labels differ."""
        return f"{self.instance_type or '-'}/{self.capacity_type}@{self.provider}"


@dataclass(frozen=True, eq=False, slots=True)
class ClassNumbers:
    """The classes as columns of shape ``(K,)``; resources ``(K, R)``; an unknown price is NaN."""

    price_per_hour: Reals
    interruption_probability: Reals
    resources: Ints
    is_elastic: Mask
    is_spot: Mask

    def __post_init__(self) -> None:
        rows = len(self.price_per_hour)
        for name in self.__slots__:
            shape = (rows, self.resources.shape[-1]) if name == "resources" else (rows,)
            freeze(name, getattr(self, name), shape)

    def __len__(self) -> int:
        return len(self.price_per_hour)


def numbers_of(classes: Sequence[MachineClass], width: int) -> ClassNumbers:
    """Give the classes as columns; ``width`` is the length of the resource axis."""
    return ClassNumbers(
        np.array([row.price_per_hour for row in classes], dtype=np.float64),
        np.array([row.interruption_probability for row in classes], dtype=np.float64),
        np.array([row.resources for row in classes], dtype=np.int64).reshape(len(classes), width),
        np.array([row.capacity_type.is_elastic for row in classes], dtype=np.bool_),
        np.array([row.capacity_type is CapacityType.SPOT for row in classes], dtype=np.bool_),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """The (class, domain) pairs that occur, sorted by class, then by domain.

    Attributes
    ----------
    class_index
        Shape ``(C,)``. Row in ``Fleet.classes``.
    level_codes
        Shape ``(C, L)``. Index into ``Fleet.level_values[l]``; -1 = the machine lacks the label.
    """

    class_index: Codes
    level_codes: Codes

    def __post_init__(self) -> None:
        rows = len(self.class_index)
        freeze("class_index", self.class_index, (rows,))
        freeze("level_codes", self.level_codes, (rows, self.level_codes.shape[-1]))

    def __len__(self) -> int:
        return len(self.class_index)


@dataclass(frozen=True, eq=False, slots=True)
class Machines:
    """One entry a machine, each of shape ``(M,)``, sorted by (class, id).

    Attributes
    ----------
    ids, host_refs
        Text; a host reference is None where there is no host.
    id_rank
        Place of the id among all ids of the fleet by code point.
    cell, class_index
        Row in ``Fleet.cells`` and in ``Fleet.classes``.
    shard, cluster, serves
        Row in ``Fleet.shards``, ``clusters`` and ``needs``; -1 = none.
    state
        Code of ``models.machine.State``.
    reclamation_penalty
        The machine's own, USD.
    state_since, reclaim_at
        Seconds on the axis of ``now``; ``-inf`` long ago; NaN = no notice.
    """

    ids: NDArray[np.object_]
    id_rank: Ints
    host_refs: NDArray[np.object_]
    cell: Codes
    class_index: Codes
    shard: Codes
    cluster: Codes
    serves: Codes
    state: NDArray[np.int8]
    reclamation_penalty: Reals
    ready_seconds: Reals
    pinned: Mask
    state_since: Reals
    reclaim_at: Reals

    def __post_init__(self) -> None:
        rows = len(self.ids)
        for name in self.__slots__:
            freeze(name, getattr(self, name), (rows,))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def hosted(self) -> Mask:
        """Mark the machines with a host, shape ``(M,)``."""
        refs = self.host_refs.tolist()
        return np.fromiter((ref is not None for ref in refs), np.bool_, len(refs))

    def take(self, rows: NDArray[np.int64]) -> "Machines":
        """Give the named rows, in the given order."""
        return Machines(*(getattr(self, name)[rows] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Shard:
    """Owner of a slice of machines and of a set of clusters, each a sorted row number."""

    name: str
    clusters: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Fleet:
    """Everything a decision reads: machines, needs and who owns them.

    Attributes
    ----------
    resources
        Names on the resource axis, sorted.
    topology
        Label keys of the declared levels, top first.
    levels
        Keys of all columns of ``cells.level_codes``: the topology, region and zone, and the host
        name where a need names it.
    level_values
        For each level its values, sorted by code point.
    class_labels
        Keys of the labels that belong to a class, sorted.
    shards
        Sorted by name.
    clusters
        Names, sorted.
    silent, shadow
        Shape of clusters: not heard from; decided for but never acted on.
    needs
        Sorted by (cluster, id).
    need_cluster
        Shape of needs: row in ``clusters``.

    Raises
    ------
    ValueError
        When shapes disagree.
    """

    name: str
    resources: tuple[str, ...]
    topology: tuple[str, ...]
    levels: tuple[str, ...]
    level_values: tuple[tuple[str, ...], ...]
    class_labels: tuple[str, ...]
    shards: tuple[Shard, ...]
    clusters: tuple[str, ...]
    silent: Mask
    shadow: Mask
    classes: tuple[MachineClass, ...]
    numbers: ClassNumbers
    cells: Cells
    machines: Machines
    needs: tuple[Need, ...]
    need_cluster: Codes

    def __post_init__(self) -> None:
        freeze("silent", self.silent, (len(self.clusters),))
        freeze("shadow", self.shadow, (len(self.clusters),))
        freeze("need_cluster", self.need_cluster, (len(self.needs),))
        freeze("resources", self.numbers.resources, (len(self.classes), len(self.resources)))
        freeze("level_codes", self.cells.level_codes, (len(self.cells), len(self.levels)))

    def shard_of_need(self, need: int) -> int:
        """Give the shard that owns the need's cluster; -1 when none does."""
        cluster = int(self.need_cluster[need])
        owners = (row for row, shard in enumerate(self.shards) if cluster in shard.clusters)
        return next(owners, -1)

    def class_key(self, index: int) -> str:
        """Give a class as text, the same in every fleet: for a memory that outlives row numbers.

        Resources it lacks and labels it does not carry are left out, so that a need which names a
        new label renames only the classes that carry it.
        """
        row = self.classes[index]
        amounts = zip(self.resources, row.resources, strict=True)
        carried = zip(self.class_labels, row.labels, strict=True)
        return repr(
            (
                row.provider,
                row.instance_type,
                str(row.capacity_type),
                row.price_per_hour,
                row.interruption_probability,
                tuple((name, amount) for name, amount in amounts if amount),
                tuple((key, value) for key, value in carried if value is not None),
            )
        )

    def cell_labels(self, key: str) -> list[str | None]:
        """Give the value of a label in each cell; None where it is absent.

        A label that no need names is in no column and so reads as absent everywhere.
        """
        values, codes = self.cell_label_codes(key)
        return [values[code] for code in codes.tolist()]

    def cell_label_codes(self, key: str) -> tuple[tuple[str | None, ...], Codes]:
        """Give the values of a label, some perhaps alike, and which each cell has, ``(C,)``.

        A few values stand for many cells, so what is asked of a label is asked of these.
        """
        if key in self.levels:
            level = self.levels.index(key)
            # The last stands for no value, and -1 leads to it.
            return (*self.level_values[level], None), self.cells.level_codes[:, level]
        by_class = tuple(self._class_label(index, key) for index in range(len(self.classes)))
        return by_class, self.cells.class_index

    def _class_label(self, index: int, key: str) -> str | None:
        row = self.classes[index]
        match key:
            case labels.INSTANCE_TYPE:
                return row.instance_type or None
            case labels.CAPACITY_TYPE:
                return str(row.capacity_type)
            case labels.PROVIDER:
                return row.provider
        if key in self.class_labels:
            return row.labels[self.class_labels.index(key)]
        return None

    def cells_with(self, resource: str, amount: int) -> Mask:
        """Mark the cells, ``(C,)``, with enough of a resource; a fleet may not know it at all."""
        if resource not in self.resources:
            return np.full(len(self.cells), amount <= 0)
        column = self.numbers.resources[:, self.resources.index(resource)]
        enough: Mask = (column >= amount)[self.cells.class_index]
        return enough

    def cell_domains(self, key: str) -> tuple[Codes, tuple[str, ...]]:
        """Give the topology domain of each cell at level ``key`` and the domains' names.

        A domain is a node of the tree: two racks of one name in two zones are two domains. Codes
        are in the order of the path from the top; -1 where the label is absent or empty. A key
        that is no level of the topology is a flat level of its own.
        """
        above = self.topology[: self.topology.index(key)] if key in self.topology else ()
        columns = [self.cell_values(level) for level in (*above, key)]
        paths = np.stack([codes for codes, _ in columns], axis=1)
        inside = np.flatnonzero(paths[:, -1] >= 0)
        numbers, first = distinct(paths[inside])
        domains = np.full(len(paths), -1, dtype=np.int32)
        domains[inside] = numbers
        names = (
            "/".join(
                values[code] for code, (_, values) in zip(path, columns, strict=True) if code >= 0
            )
            for path in paths[inside][first].tolist()
        )
        return domains, tuple(names)

    def cell_values(self, key: str) -> tuple[Codes, tuple[str, ...]]:
        """Give a label of each cell as a place in sorted values; -1 where it is absent or empty.

        The values may be more than those that cells have.
        """
        if key in self.levels:
            level = self.levels.index(key)
            codes, values = self.cells.level_codes[:, level], self.level_values[level]
            # The empty text is the first of all texts.
            return (np.where(codes == 0, -1, codes) if values[:1] == ("",) else codes), values
        texts = self.cell_labels(key)
        values = tuple(sorted({text for text in texts if text}))
        code = {text: index for index, text in enumerate(values)}
        return np.array([code.get(text or "", -1) for text in texts], dtype=np.int32), values

    def zone_codes(self) -> Codes:
        """Give the zone of each cell, -1 where it has none. Codes follow the names' order."""
        codes: Codes = self.cells.level_codes[:, self.levels.index(labels.ZONE)]
        return codes


def resource_vector(fleet: Fleet, need: Need) -> Ints | None:
    """Give what a machine must have, shape ``(R,)``; None where no machine has the kind."""
    if any(amount > 0 and name not in fleet.resources for name, amount in need.resources.items()):
        return None
    return np.array([need.resources.get(name, 0) for name in fleet.resources], dtype=np.int64)


def freeze(name: str, column: NDArray[Any], shape: tuple[int, ...]) -> None:
    """Make a column read-only for good.

    Raises
    ------
    ValueError
        When it has another shape.
    """
    if column.shape != shape:
        raise ValueError(f"{name} has shape {column.shape}, expected {shape}.")
    column.flags.writeable = False


def named_keys(needs: Sequence[Need]) -> set[str]:
    """Give every label key that a need names."""
    keys: set[str] = set()
    for need in needs:
        keys.update([requirement.key for requirement in need.requirements])
        keys.update([spread.key for spread in need.spread])
        if need.same is not None:
            keys.add(need.same)
    return keys
