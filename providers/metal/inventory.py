"""What stands in the racks: from rows of plain data to machines, with every fault."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from models.documents.checking import Checked, Kind, sound_part
from models.documents.faults import joined, shown
from models.documents.fields import Amount, Key, Money, Name, Text
from models.documents.needs import Reader
from models.documents.shapes import SHAPE
from models.errors import Fault, InputFault
from models.machine import CapacityType, State
from providers.machine import Machine, MachineClass

Inventory = Mapping[str, Machine]
"""By id, each as it begins its life: SPECULATIVE or IDLE. ``host`` is set in both: the name that
the machine has once it is real."""


def _number(value: object) -> object:
    """Give the number that a cell of a CSV file, which is text, is written as."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"{shown(value)} is not a number.") from None


class RackRow(BaseModel):
    """One row of an inventory; what is absent or null has its default, ``host`` that of ``id``."""

    model_config = SHAPE

    id: Name
    host: Name | None = None
    state: Literal["SPECULATIVE", "IDLE"] | None = None
    capacity_type: Literal["bare-metal", "reserved"] | None = None
    instance_type: Text | None = None
    price_per_hour: Annotated[Money | None, BeforeValidator(_number)] = None
    resources: dict[Key, Amount | None] | None = None
    labels: dict[Key, Text | None] | None = None


_ROW = Kind(RackRow, {"id": "?"})


def row_of_list(row: int) -> str:
    """Name a row by its place, from 0."""
    return f"machines[{row}]"


def inventory_from(
    rows: Sequence[Any], named: Callable[[int], str] = row_of_list, *, may_commission: bool = True
) -> Inventory:
    """Read rows as YAML, Parquet or CSV give them: mappings, resources and labels nested.

    Parameters
    ----------
    named
        What a fault calls a row.
    may_commission
        Whether there is a hook that makes a SPECULATIVE machine real; without one none may be.

    Raises
    ------
    InputFault
        With every fault, each with its row and column.
    """
    reader = Reader()
    machines: dict[str, Machine] = {}
    seen: dict[tuple[str, str], int] = {}
    for index, row in enumerate(rows):
        path = named(index)
        found = sound_part(row, _ROW, path, reader.faults)
        if found is None:
            continue
        checked = Checked(index, *found)
        machine = _machine(checked.shape, path, reader)
        # Of a row that is there twice its host says nothing new.
        is_repeat = ("id", machine.id) in seen
        for column, text in (("id", machine.id), ("host", machine.host))[: 1 if is_repeat else 2]:
            if checked.is_sound(column, "id"):
                _check_name(column, text, index, seen, named, reader)
        if machine.state is State.SPECULATIVE and not may_commission:
            message = "SPECULATIVE needs the hook `commission`, which there is none of."
            reader.refuse(f"{path}.state", message)
        machines[machine.id] = machine
    if reader.faults:
        raise InputFault(reader.faults)
    return MappingProxyType(machines)


def _check_name(
    column: str,
    text: str,
    index: int,
    seen: dict[tuple[str, str], int],
    named: Callable[[int], str],
    reader: Reader,
) -> None:
    path = f"{named(index)}.{column}"
    if "\0" in text:
        reader.faults.append(Fault(path, f"{shown(text)} holds a NUL, which no name may."))
    first = seen.setdefault((column, text), index)
    if first != index:
        message = f"{shown(text)} is a duplicate of {named(first)}; each {column} must differ."
        reader.refuse(path, message)


def _machine(row: RackRow, path: str, reader: Reader) -> Machine:
    labels = {key: str(value) for key, value in (row.labels or {}).items() if value is not None}
    for key, text in labels.items():
        if "\0" in key + text:
            reader.refuse(joined(path, ("labels", key)), f"{shown(text)} holds a NUL.")
    return Machine(
        id=str(row.id),
        state=State[row.state or "IDLE"],
        kind=MachineClass(
            capacity_type=CapacityType(row.capacity_type or "bare-metal"),
            instance_type="" if row.instance_type is None else str(row.instance_type),
            price_per_hour=row.price_per_hour,
            resources=reader.resources(row.resources, path) if row.resources else {},
        ),
        host=str(row.id if row.host is None else row.host),
        labels=labels,
    )
