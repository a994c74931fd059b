"""Pages of a List: rows, or packed columns that decode straight into arrays."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.machine import State
from providers.columns import HEALTHS, NO_STATE, LabelColumn, MachineColumns
from providers.listing import ListEnd, Page
from providers.machine import Health
from providers.texts import Texts
from providers.v1 import capacity_pb2 as pb
from providers.wire import enums
from providers.wire.machines import (
    class_from_wire,
    class_to_wire,
    failure_from_wire,
    failure_to_wire,
    machines_from_wire,
    machines_to_wire,
)

_CODES = {
    "class_index": "<u4",
    "shard": "<u4",
    "cluster": "<u4",
    "reservation": "<u4",
    "ownership_version": "<u8",
    "state_since": "<f8",
    "estimated_ready": "<f8",
    "reclaim_at": "<f8",
    "revision": "<u8",
}
"""Columns that are the same on both sides, and how the wire writes them."""


def _table(size: int, pairs: dict[int, int], default: int) -> NDArray[np.uint8]:
    """Give a table from one side's codes to the other's."""
    table = np.full(size, default, dtype=np.uint8)
    for code, other in pairs.items():
        table[code] = other
    return table


_STATE_TO_WIRE = _table(
    256, {int(s): int(n) for s, n in enums.STATES.items()}, pb.MACHINE_STATE_UNSPECIFIED
)
_STATE_FROM_WIRE = _table(256, {int(n): int(s) for s, n in enums.STATES.items()}, NO_STATE)
_HEALTH_TO_WIRE = _table(
    256, {HEALTHS.index(h): int(n) for h, n in enums.HEALTHS.items()}, pb.HEALTH_UNKNOWN
)
_HEALTH_FROM_WIRE = _table(
    256,
    {int(n): HEALTHS.index(h) for h, n in enums.HEALTHS.items()},
    HEALTHS.index(Health.UNKNOWN),
)
assert len(State) < NO_STATE


def page_to_wire(page: Page) -> pb.ListPage:
    """Give the message of a page."""
    return pb.ListPage(
        machines=machines_to_wire(page.machines),
        columns=None if page.columns is None else columns_to_wire(page.columns),
        gone=page.gone,
        end=None if page.end is None else pb.ListEnd(cursor=page.end.cursor, full=page.end.is_full),
    )


def page_from_wire(message: pb.ListPage) -> Page:
    """Read a page.

    Raises
    ------
    ValueError
        When a machine or a column makes no sense; the message names it.
    """
    end = ListEnd(message.end.cursor, message.end.full) if message.HasField("end") else None
    columns = columns_from_wire(message.columns) if message.HasField("columns") else None
    machines = tuple(machines_from_wire(message.machines))
    return Page(machines, columns, tuple(message.gone), end)


def columns_to_wire(columns: MachineColumns) -> pb.Columns:
    """Pack columns."""
    return pb.Columns(
        n=len(columns),
        ids=_texts_to_wire(columns.ids),
        operations=_texts_to_wire(columns.operations),
        hosts=_texts_to_wire(columns.hosts),
        state=_STATE_TO_WIRE[columns.state].tobytes(),
        failed_from=_STATE_TO_WIRE[columns.failed_from].tobytes(),
        health=_HEALTH_TO_WIRE[columns.health].tobytes(),
        classes=map(class_to_wire, columns.classes),
        texts=columns.texts,
        labels=[
            pb.LabelColumn(key=each.key, values=each.values, index=_packed(each.index, "<u4"))
            for each in columns.labels
        ],
        errors={place: failure_to_wire(each) for place, each in columns.failures.items()},
        **{name: _packed(getattr(columns, name), kind) for name, kind in _CODES.items()},
    )


def columns_from_wire(message: pb.Columns) -> MachineColumns:
    """Unpack columns; the arrays look into the message's bytes. Errors as of a page."""
    return MachineColumns(
        ids=_texts_from_wire(message.ids, message.n, "ids"),
        operations=_texts_from_wire(message.operations, message.n, "operations"),
        hosts=_texts_from_wire(message.hosts, message.n, "hosts"),
        state=_STATE_FROM_WIRE[_unpacked(message.state, message.n, "u1", "state")],
        failed_from=_STATE_FROM_WIRE[
            _unpacked(message.failed_from, message.n, "u1", "failed_from")
        ],
        health=_HEALTH_FROM_WIRE[_unpacked(message.health, message.n, "u1", "health")],
        classes=tuple(map(class_from_wire, message.classes)),
        texts=tuple(message.texts),
        labels=tuple(
            LabelColumn(
                each.key,
                tuple(each.values),
                _unpacked(each.index, message.n, "<u4", f"label {each.key}"),
            )
            for each in message.labels
        ),
        failures={place: failure_from_wire(each) for place, each in message.errors.items()},
        **{
            name: _unpacked(getattr(message, name), message.n, kind, name)
            for name, kind in _CODES.items()
        },
    )


def _texts_to_wire(texts: Texts) -> pb.Texts:
    return pb.Texts(bytes=texts.data, ends=_packed(texts.ends, "<u4"))


def _texts_from_wire(message: pb.Texts, n: int, name: str) -> Texts:
    try:
        return Texts(message.bytes, _unpacked(message.ends, n, "<u4", f"{name}.ends"))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _packed(column: NDArray[Any], kind: str) -> bytes:
    return column.astype(kind, copy=False).tobytes()


def _unpacked(data: bytes, n: int, kind: str, name: str) -> NDArray[Any]:
    """Look at packed numbers as an array."""
    dtype = np.dtype(kind)
    if len(data) != n * dtype.itemsize:
        raise ValueError(f"{name} has {len(data)} bytes, not {n} times {dtype.itemsize}.")
    return np.frombuffer(data, dtype=dtype)
