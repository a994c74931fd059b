"""Where a machine stands: its state, owner, provider and need, and whether they go together."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from models.documents.checking import Checked
from models.documents.faults import nearest, shown
from models.documents.need_names import NeedNames
from models.documents.needs import Reader
from models.documents.shapes import MachineShape
from models.machine import (
    CLUSTER_OPTIONAL,
    CLUSTER_REQUIRED,
    DEFAULT_PROVIDER,
    DEFAULT_SHARD,
    HOST_REFUSED,
    HOST_REQUIRED,
    RESERVABLE,
    State,
)
from models.need import Need

_STATES = {state.name: state for state in State}
_SERVING = frozenset({State.CONFIGURING, State.CONFIGURED})
_MAY_SERVE = _SERVING | RESERVABLE | {State.FAILED}
"""A failed machine keeps the need it had, as its shard's record does; it serves nobody."""


class Place(NamedTuple):
    """What of a row many others share; ``serves`` is the row of a need, -1 = none."""

    state: State
    shard: str
    cluster: str | None
    provider: str
    serves: int


@dataclass(slots=True)
class Surroundings:
    """What a machine may refer to, and where its faults go.

    Attributes
    ----------
    shards, clusters
        Known names; None where any will do: without shards any cluster, with broken ones any shard.
    needs, names
        No ``needs`` where the document has none: ``serves`` then leads nowhere.
    sound_places
        Those without a fault, by all that decides one: many rows of a large fleet share few.
    """

    reader: Reader
    shards: frozenset[str] | None
    clusters: frozenset[str] | None
    shards_given: bool
    needs: tuple[Need, ...] | None
    names: NeedNames
    now: datetime | None
    sound_places: dict[tuple[object, ...], Place] = field(default_factory=dict)


def place_of(row: Checked[MachineShape], around: Surroundings) -> Place:
    """Give the place of a machine; what does not go together is noted as a fault."""
    shape = row.shape
    host = shape.host
    key = (
        shape.state,
        shape.shard,
        shape.cluster,
        shape.serves,
        shape.provider,
        host is None,
        None if host is None else host.provider,
    )
    known = around.sound_places.get(key)
    if known is not None:
        return known
    before = len(around.reader.faults)
    state = _STATES[shape.state or "SPECULATIVE"]
    cluster = None if shape.cluster is None else str(shape.cluster)
    shard = DEFAULT_SHARD if shape.shard is None else str(shape.shard)
    _check_place(row, state, around)
    _check_owner(row, shard, cluster, around)
    serves = -1 if shape.serves is None else _serves(row, state, cluster, around)
    place = Place(state, shard, cluster, _provider(row, around), serves)
    if len(around.reader.faults) == before and not row.broken:
        around.sound_places[key] = place
    return place


def refuse(row: Checked[MachineShape], name: str, message: str, around: Surroundings) -> None:
    """Note a fault of a machine's field."""
    around.reader.refuse(f"machines[{row.row}].{name}", message)


def _check_place(row: Checked[MachineShape], state: State, around: Surroundings) -> None:
    """Refuse a host or a cluster that the state forbids, and the lack of one that it demands."""
    shape = row.shape
    if not row.is_sound("state"):
        return
    if row.is_sound("host"):
        if shape.host is None and state in HOST_REQUIRED:
            message = f"is required in state {state.name}; write host: {{provider, ref}}."
            refuse(row, "host", message, around)
        elif shape.host is not None and state in HOST_REFUSED:
            message = f"{shown(shape.host.ref)} is given, but state {state.name} has no host yet."
            refuse(row, "host", f"{message} Remove it.", around)
    if row.is_sound("cluster"):
        if shape.cluster is None and state in CLUSTER_REQUIRED:
            refuse(row, "cluster", f"is required in state {state.name}; name its cluster.", around)
        elif shape.cluster is not None and state not in CLUSTER_REQUIRED | CLUSTER_OPTIONAL:
            message = f"{shown(shape.cluster)} is given, but state {state.name} has no cluster."
            refuse(row, "cluster", f"{message} Remove it.", around)


def _check_owner(
    row: Checked[MachineShape], shard: str, cluster: str | None, around: Surroundings
) -> None:
    if row.is_sound("shard") and around.shards is not None:
        if row.shape.shard is None and around.shards_given:
            refuse(row, "shard", "is required, since the document names shards.", around)
        elif shard not in around.shards:
            message = f"{shown(shard)} names no shard{nearest(shard, around.shards)}"
            refuse(row, "shard", message, around)
    if around.clusters is not None and cluster is not None and cluster not in around.clusters:
        message = f"{shown(cluster)} is in no shard{nearest(cluster, around.clusters)}"
        refuse(row, "cluster", message, around)


def _provider(row: Checked[MachineShape], around: Surroundings) -> str:
    shape = row.shape
    own = shape.provider
    hosted = None if shape.host is None else shape.host.provider
    if own is not None and hosted is not None and str(own) != str(hosted):
        message = f"{shown(own)} is not the host's provider {shown(hosted)}; name one of them."
        refuse(row, "provider", message, around)
    found = own if hosted is None else hosted
    return DEFAULT_PROVIDER if found is None else str(found)


def _serves(
    row: Checked[MachineShape], state: State, cluster: str | None, around: Surroundings
) -> int:
    """Give the row of the need that a machine serves or is reserved for."""
    name = str(row.shape.serves)
    if row.is_sound("state") and state not in _MAY_SERVE:
        message = f"{shown(name)} is given, but a machine in state {state.name} serves nobody."
        refuse(row, "serves", f"{message} Remove it.", around)
    if around.needs is None:
        return -1
    found = around.names.find(name)
    if found is None:
        if around.names.complete:
            refuse(row, "serves", around.names.refusal(name), around)
        return -1
    owner = around.needs[found].cluster
    if cluster is not None and owner != cluster and state in _SERVING and row.is_sound("state"):
        message = f"{shown(name)} is a need of cluster {shown(owner)}, but the machine is in "
        refuse(row, "serves", f"{message}{shown(cluster)}.", around)
    return found
