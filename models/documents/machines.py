"""Machines of a document: from their shapes to ``models.machine.MachineRow``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import inf, nan
from types import MappingProxyType

from models.documents.checking import Checked
from models.documents.faults import joined, nearest, shown
from models.documents.moments import seconds_from_now
from models.documents.needs import NeedNames, Reader
from models.documents.shapes import MachineShape
from models.machine import (
    CLUSTER_OPTIONAL,
    CLUSTER_REQUIRED,
    HOST_REFUSED,
    HOST_REQUIRED,
    RESERVABLE,
    STABLE,
    MachineRow,
    State,
)
from models.need import Need
from models.rows import DEFAULT_SHARD

_STATES = {state.name: state for state in State}
_SERVING = frozenset({State.CONFIGURING, State.CONFIGURED})
_MAY_SERVE = _SERVING | RESERVABLE | {State.FAILED}
"""A failed machine keeps the need it had, as its shard's record does; it serves nobody."""

_DIVISOR = re.compile(r"\{//(\d+)\}")
_LARGEST_DIVISOR_DIGITS = 9


@dataclass(slots=True)
class Surroundings:
    """What a machine may refer to, and where its faults go.

    Attributes
    ----------
    shards, clusters
        Known names; None where any will do: without shards any cluster, with broken ones any shard.
    needs, names
        None where the document has no needs: ``serves`` is then kept aside as written.
    """

    reader: Reader
    shards: frozenset[str] | None
    clusters: frozenset[str] | None
    shards_given: bool
    needs: tuple[Need, ...] | None
    names: NeedNames
    now: datetime | None
    serves_written: dict[int, str] = field(default_factory=dict)


def machine_row(row: Checked[MachineShape], around: Surroundings) -> MachineRow:
    """Give one row in internal units; what is wrong with it goes to ``around.reader``."""
    shape = row.shape
    state = _STATES[shape.state or "SPECULATIVE"]
    cluster = None if shape.cluster is None else str(shape.cluster)
    labels = _labels(shape.labels)
    host_ref = None if shape.host is None else str(shape.host.ref)
    machine_id = str(shape.id)
    shard = DEFAULT_SHARD if shape.shard is None else str(shape.shard)
    _check_place(row, state, around)
    _check_owner(row, shard, cluster, around)
    if shape.count is not None:
        _check_patterns(row, machine_id, host_ref, labels, around)
    return MachineRow(
        id=machine_id,
        capacity_type=shape.capacity_type,
        count=1 if shape.count is None else shape.count,
        is_pattern=shape.count is not None,
        shard=shard,
        state=state,
        provider=_provider(row, around),
        host_ref=host_ref,
        cluster=cluster,
        serves=-1 if shape.serves is None else _serves(row, state, cluster, around),
        instance_type="" if shape.instance_type is None else str(shape.instance_type),
        price_per_hour=nan if shape.price_per_hour is None else shape.price_per_hour,
        interruption_probability=shape.interruption_probability or 0.0,
        resources=(
            around.reader.resources(shape.resources, f"machines[{row.index}]")
            if shape.resources
            else _NOTHING_HELD
        ),
        labels=labels,
        reclamation_penalty=shape.reclamation_penalty or 0.0,
        ready_seconds=shape.ready_seconds or 0.0,
        pinned=bool(shape.pinned),
        state_since=_since(row, state, around),
        reclaim_at=nan if shape.reclaim_at is None else _moment(row, "reclaimAt", around),
    )


_NOTHING_HELD: Mapping[str, int] = MappingProxyType({})
_UNLABELLED: Mapping[str, str] = MappingProxyType({})


def _refuse(row: Checked[MachineShape], name: str, message: str, around: Surroundings) -> None:
    around.reader.refuse(f"machines[{row.index}].{name}", message)


def _check_place(row: Checked[MachineShape], state: State, around: Surroundings) -> None:
    """Refuse a host or a cluster that the state forbids, and the lack of one that it demands."""
    shape = row.shape
    if not row.is_sound("state"):
        return
    if row.is_sound("host"):
        if shape.host is None and state in HOST_REQUIRED:
            message = f"is required in state {state.name}; write host: {{provider, ref}}."
            _refuse(row, "host", message, around)
        elif shape.host is not None and state in HOST_REFUSED:
            message = f"{shown(shape.host.ref)} is given, but state {state.name} has no host yet."
            _refuse(row, "host", f"{message} Remove it.", around)
    if row.is_sound("cluster"):
        if shape.cluster is None and state in CLUSTER_REQUIRED:
            _refuse(row, "cluster", f"is required in state {state.name}; name its cluster.", around)
        elif shape.cluster is not None and state not in CLUSTER_REQUIRED | CLUSTER_OPTIONAL:
            message = f"{shown(shape.cluster)} is given, but state {state.name} has no cluster."
            _refuse(row, "cluster", f"{message} Remove it.", around)


def _check_owner(
    row: Checked[MachineShape], shard: str, cluster: str | None, around: Surroundings
) -> None:
    if row.is_sound("shard") and around.shards is not None:
        if row.shape.shard is None and around.shards_given:
            _refuse(row, "shard", "is required, since the document names shards.", around)
        elif shard not in around.shards:
            message = f"{shown(shard)} names no shard{nearest(shard, around.shards)}"
            _refuse(row, "shard", message, around)
    if around.clusters is not None and cluster is not None and cluster not in around.clusters:
        message = f"{shown(cluster)} is in no shard{nearest(cluster, around.clusters)}"
        _refuse(row, "cluster", message, around)


def _check_patterns(
    row: Checked[MachineShape],
    machine_id: str,
    host_ref: str | None,
    labels: Mapping[str, str],
    around: Surroundings,
) -> None:
    for where, text in (("id", machine_id), ("host.ref", host_ref or "")):
        _check_divisors(row, where, text, around)
    for key, text in labels.items():
        _check_divisors(row, joined("labels", (key,)), text, around)


def _check_divisors(
    row: Checked[MachineShape], where: str, text: str, around: Surroundings
) -> None:
    for divisor in bad_divisors(text):
        message = f"{shown(text)} divides the index by {divisor[:20]}; write {{//N}} with N "
        _refuse(row, where, f"{message}from 1 to 999999999.", around)


def bad_divisors(text: str) -> list[str]:
    """Give the N of each ``{//N}`` that is 0 or absurdly long."""
    if "{//" not in text:
        return []
    return [
        divisor
        for divisor in _DIVISOR.findall(text)
        if len(divisor) > _LARGEST_DIVISOR_DIGITS or int(divisor) == 0
    ]


def _provider(row: Checked[MachineShape], around: Surroundings) -> str:
    shape = row.shape
    own = shape.provider
    hosted = None if shape.host is None else shape.host.provider
    if own is not None and hosted is not None and str(own) != str(hosted):
        message = f"{shown(own)} is not the host's provider {shown(hosted)}; name one of them."
        _refuse(row, "provider", message, around)
    found = own if hosted is None else hosted
    return "default" if found is None else str(found)


def _labels(written: Mapping[str, str | int | None] | None) -> Mapping[str, str]:
    if not written:
        return _UNLABELLED
    return MappingProxyType(
        {key: str(value) for key, value in written.items() if value is not None}
    )


def _serves(
    row: Checked[MachineShape], state: State, cluster: str | None, around: Surroundings
) -> int:
    """Give the row of the need that a machine serves or is reserved for."""
    name = str(row.shape.serves)
    if row.is_sound("state") and state not in _MAY_SERVE:
        message = f"{shown(name)} is given, but a machine in state {state.name} serves nobody."
        _refuse(row, "serves", f"{message} Remove it.", around)
    if around.needs is None:
        around.serves_written[row.index] = name
        return -1
    found = around.names.find(name)
    if found is None:
        if around.names.complete:
            _refuse(row, "serves", around.names.refusal(name), around)
        return -1
    owner = around.needs[found].cluster
    if cluster is not None and owner != cluster and state in _SERVING and row.is_sound("state"):
        message = f"{shown(name)} is a need of cluster {shown(owner)}, but the machine is in "
        _refuse(row, "serves", f"{message}{shown(cluster)}.", around)
    return found


def _since(row: Checked[MachineShape], state: State, around: Surroundings) -> float:
    if row.shape.state_since is None:
        return -inf if state in STABLE else 0.0
    seconds = _moment(row, "stateSince", around)
    if seconds > 0:
        written = shown(str(row.shape.state_since))
        message = f"{written} is in the future; write how long ago as in -10m."
        _refuse(row, "stateSince", message, around)
    return seconds


def _moment(row: Checked[MachineShape], name: str, around: Surroundings) -> float:
    written = row.shape.state_since if name == "stateSince" else row.shape.reclaim_at
    if written is None:
        return nan
    try:
        return seconds_from_now(written, around.now)
    except ValueError as error:
        _refuse(row, name, str(error), around)
        return nan
