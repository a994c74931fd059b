"""A fleet document, as plain data, to rows: the one door for files, streams and importers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from models.documents.checking import Kind, checked, listed, sound_part
from models.documents.duplicates import Named, duplicates
from models.documents.faults import nearest, shown
from models.documents.machines import bad_divisors, machine_row
from models.documents.needs import Reader, ReadNeeds, read_needs
from models.documents.places import Surroundings
from models.documents.shapes import FleetShape, MachineShape
from models.errors import Fault, InputFault
from models.machine import DEFAULT_SHARD, MachineRow
from models.need import Need
from models.rows import (
    DEFAULT_TOPOLOGY,
    MOST_MACHINES,
    ClusterMode,
    ClusterRow,
    FleetRows,
    ShardRow,
)

_HEAD: Kind[FleetShape] = Kind(FleetShape, {})
_MACHINE = Kind(MachineShape, {"id": "?", "capacityType": "spot"})


def fleet_from(document: Mapping[str, Any], now: datetime | None = None) -> FleetRows:
    """Read a fleet from plain data: mappings, lists, texts, numbers, as YAML or JSON give them.

    Null is absent everywhere. ``now`` places points in time written as RFC 3339; relative ones
    need none. Reads about 500,000 explicit machines in seconds; a caller that can should freeze
    the garbage collector meanwhile.

    Raises
    ------
    InputFault
        With every fault that was found, each with its path and value.
    """
    if not isinstance(document, Mapping):
        raise InputFault([Fault("", f"{shown(document)} is not a fleet; write a mapping.")])
    reader = Reader()
    parts = dict(document)
    machines, needs = parts.pop("machines", None), parts.pop("needs", None)
    head = _head(parts, reader)
    found = read_needs(listed(needs, "needs", reader.faults), reader, "needs")
    _check_need_clusters(found, head, reader)
    around = Surroundings(
        reader=reader,
        shards=head.known_shards,
        clusters=head.owned,
        shards_given=head.shards_given,
        needs=None if needs is None else tuple(need for _, need in found.needs),
        names=found.names,
        now=now,
    )
    listing = listed(machines, "machines", reader.faults)
    rows = _machines(listing, around)
    if reader.faults:
        raise InputFault(reader.faults)
    return _whole(head, rows, around.needs, listing)


def fleet_schema() -> dict[str, Any]:
    """Give the JSON Schema of a fleet document; what takes several fields to judge is not in it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **FleetShape.model_json_schema(by_alias=True),
    }


@dataclass(frozen=True, slots=True)
class _Head:
    """A document without its machines and needs.

    ``owned`` is None where any cluster will do, ``known_shards`` where the shards are broken.
    """

    name: str
    topology: tuple[str, ...]
    shards: tuple[ShardRow, ...]
    shards_given: bool
    known_shards: frozenset[str] | None
    owned: frozenset[str] | None
    clusters: tuple[ClusterRow, ...]


def _whole(
    head: _Head, machines: list[MachineRow], needs: tuple[Need, ...] | None, listing: list[object]
) -> FleetRows:
    """Put the parts together; ``listing`` is what the document says of its machines."""
    return FleetRows(
        name=head.name,
        topology=head.topology,
        shards=head.shards,
        shards_given=head.shards_given,
        machines=machines,
        needs=needs or (),
        needs_given=needs is not None,
        clusters=head.clusters,
        serves_written={} if needs is not None else _serves_written(listing),
    )


def _head(parts: dict[str, Any], reader: Reader) -> _Head:
    sound = sound_part(parts, _HEAD, "", reader.faults)
    shape, broken = sound if sound is not None else (FleetShape(), frozenset[str]())
    given = shape.shards is not None
    shards = _shards(shape, reader)
    owned = frozenset(name for shard in shards for name in shard.clusters) if given else None
    name = shape.metadata.name if shape.metadata is not None else None
    return _Head(
        name="" if name is None else str(name),
        topology=_topology(shape, reader),
        shards=shards,
        shards_given=given,
        known_shards=None if "shards" in broken else frozenset(shard.name for shard in shards),
        owned=owned,
        clusters=_clusters(shape, owned, reader),
    )


def _topology(shape: FleetShape, reader: Reader) -> tuple[str, ...]:
    if shape.topology is None:
        return DEFAULT_TOPOLOGY
    topology = tuple(str(level) for level in shape.topology)
    _check_differ(topology, "topology", "", reader)
    if not topology:
        reader.refuse("topology", "[] has no level; name at least one, or leave it out.")
    return topology


def _shards(shape: FleetShape, reader: Reader) -> tuple[ShardRow, ...]:
    if shape.shards is None:
        return (ShardRow(DEFAULT_SHARD),)
    shards = tuple(
        ShardRow(str(shard.name), tuple(str(name) for name in shard.clusters or ()))
        for shard in shape.shards
    )
    if not shards:
        reader.refuse("shards", "[] has no shard; name at least one, or leave it out.")
    _check_differ(tuple(shard.name for shard in shards), "shards", ".name", reader)
    _check_one_owner(shards, reader)
    return shards


def _clusters(
    shape: FleetShape, owned: frozenset[str] | None, reader: Reader
) -> tuple[ClusterRow, ...]:
    clusters = tuple(
        ClusterRow(str(row.name), row.mode or ClusterMode.ACTIVE) for row in shape.clusters or ()
    )
    _check_differ(tuple(row.name for row in clusters), "clusters", ".name", reader)
    for index, row in enumerate(clusters):
        if owned is not None and row.name not in owned:
            message = f"{shown(row.name)} is in no shard{nearest(row.name, owned)}"
            reader.refuse(f"clusters[{index}].name", message)
    return clusters


def _check_differ(names: tuple[str, ...], path: str, below: str, reader: Reader) -> None:
    place: dict[str, int] = {}
    for index, name in enumerate(names):
        first = place.setdefault(name, index)
        if first != index:
            message = f"{shown(name)} is a duplicate of {path}[{first}]; remove one."
            reader.refuse(f"{path}[{index}]{below}", message)


def _check_one_owner(shards: tuple[ShardRow, ...], reader: Reader) -> None:
    owner: dict[str, str] = {}
    for index, shard in enumerate(shards):
        for place, cluster in enumerate(shard.clusters):
            if cluster in owner:
                message = f"{shown(cluster)} is a duplicate: shard {shown(owner[cluster])} has it."
                reader.refuse(f"shards[{index}].clusters[{place}]", f"{message} Remove one.")
            owner.setdefault(cluster, shard.name)


def _check_need_clusters(found: ReadNeeds, head: _Head, reader: Reader) -> None:
    if head.owned is None:
        return
    for index, need in found.needs:
        if need.cluster not in head.owned:
            message = f"{shown(need.cluster)} is in no shard{nearest(need.cluster, head.owned)}"
            reader.refuse(f"needs[{index}].cluster", message)


def _machines(listing: list[object], around: Surroundings) -> list[MachineRow]:
    rows, named = [], []
    for row in checked(listing, _MACHINE, "machines", around.reader.faults):
        machine = machine_row(row, around)
        rows.append(machine)
        if row.is_sound("id", "count") and not (machine.is_pattern and bad_divisors(machine.id)):
            named.append(Named(row.row, machine.id, machine.count if machine.is_pattern else None))
    total = sum(row.count for row in rows)
    if total > MOST_MACHINES:
        message = f"{total} machines are more than the {MOST_MACHINES} that a fleet may have; "
        around.reader.refuse("machines", f"{message}lower a count.")
    else:
        _check_ids(named, around.reader)
    return rows


def _serves_written(listing: list[Any]) -> dict[int, str]:
    """Give what ``serves`` of each sound row says."""
    return {
        index: str(row["serves"])
        for index, row in enumerate(listing)
        if row.get("serves") is not None
    }


def _check_ids(named: list[Named], reader: Reader) -> None:
    for found in duplicates(named):
        path = f"machines[{found.index}].id"
        if found.first == found.index:
            reader.refuse(path, f"{shown(found.id)} is a duplicate; put {{}} into the id.")
        else:
            message = (
                f"{shown(found.id)} is a duplicate of machines[{found.first}]; ids must differ."
            )
            reader.refuse(path, message)
