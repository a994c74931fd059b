"""Machines of a document: from their shapes to ``models.machine.MachineRow``."""

from collections.abc import Mapping
from math import inf, nan
from types import MappingProxyType

from models.documents.checking import Checked
from models.documents.faults import joined, shown
from models.documents.moments import seconds_from_now
from models.documents.places import Surroundings, place_of, refuse
from models.documents.shapes import MachineShape
from models.machine import STABLE, MachineRow, State
from models.pattern import divisors

_LARGEST_DIVISOR_DIGITS = 9

_NOTHING_HELD: Mapping[str, int] = MappingProxyType({})
_UNLABELLED: Mapping[str, str] = MappingProxyType({})


def machine_row(row: Checked[MachineShape], around: Surroundings) -> MachineRow:
    """Give one row in internal units; what is wrong with it goes to ``around.reader``."""
    shape = row.shape
    place = place_of(row, around)
    labels = _labels(shape.labels)
    host_ref = None if shape.host is None else str(shape.host.ref)
    machine_id = str(shape.id)
    count = shape.count
    if count is not None:
        _check_patterns(row, machine_id, host_ref, labels, around)
    return MachineRow(
        id=machine_id,
        capacity_type=shape.capacity_type,
        count=1 if count is None else count,
        is_pattern=count is not None,
        shard=place.shard,
        state=place.state,
        provider=place.provider,
        host_ref=host_ref,
        cluster=place.cluster,
        serves=place.serves,
        instance_type="" if shape.instance_type is None else str(shape.instance_type),
        price_per_hour=nan if shape.price_per_hour is None else shape.price_per_hour,
        interruption_probability=shape.interruption_probability or 0.0,
        resources=(
            around.reader.resources(shape.resources, f"machines[{row.row}]")
            if shape.resources
            else _NOTHING_HELD
        ),
        labels=labels,
        reclamation_penalty=shape.reclamation_penalty or 0.0,
        ready_seconds=shape.ready_seconds or 0.0,
        pinned=bool(shape.pinned),
        state_since=_since(row, place.state, around),
        reclaim_at=nan if shape.reclaim_at is None else _moment(row, "reclaimAt", around),
    )


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
        refuse(row, where, f"{message}from 1 to 999999999.", around)


def bad_divisors(text: str) -> list[str]:
    """Give the N of each ``{//N}`` that is 0 or absurdly long."""
    if "{//" not in text:
        return []
    return [
        divisor
        for divisor in divisors(text)
        if divisor and (len(divisor) > _LARGEST_DIVISOR_DIGITS or int(divisor) == 0)
    ]


def _labels(written: dict[str, str | int | None] | None) -> Mapping[str, str]:
    if not written:
        return _UNLABELLED
    # A plain dict: the garbage collector passes over one that holds nothing but text.
    return {key: str(value) for key, value in written.items() if value is not None}


def _since(row: Checked[MachineShape], state: State, around: Surroundings) -> float:
    if row.shape.state_since is None:
        return -inf if state in STABLE else 0.0
    seconds = _moment(row, "stateSince", around)
    if seconds > 0:
        written = shown(str(row.shape.state_since))
        message = f"{written} is in the future; write how long ago as in -10m."
        refuse(row, "stateSince", message, around)
    return seconds


def _moment(row: Checked[MachineShape], name: str, around: Surroundings) -> float:
    written = row.shape.state_since if name == "stateSince" else row.shape.reclaim_at
    if written is None:
        return nan
    try:
        return seconds_from_now(written, around.now)
    except ValueError as error:
        refuse(row, name, str(error), around)
        return nan
