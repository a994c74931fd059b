"""The machines of one provider of a fleet document as a simulated world."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import Fault, InputFault
from models.machine import MachineRow, State
from models.pattern import expand
from models.rows import FleetRows
from providers.columns import HEALTHS, NO_STATE, LabelColumn
from providers.machine import Health, MachineClass
from providers.simulated.world import HOST_SUFFIX, Words, World

OK = HEALTHS.index(Health.OK)


def world_of(rows: FleetRows, provider: str, now: float) -> World:
    """Give the machines of a fleet document that are of one provider.

    ``stateSince`` and notices of the rows are seconds before and after ``now``. A slot that nobody
    has ordered yet is nobody's, unless the document says whose.

    Raises
    ------
    InputFault
        When an id or a host holds a NUL, which columns of bytes cannot.
    """
    mine = [row for row in rows.machines if row.provider == provider]
    _refuse_nul(mine)
    names = [expand(row.id, row.count) if row.is_pattern else [row.id] for row in mine]
    counts = [len(each) for each in names]
    ids = np.array([name.encode() for each in names for name in each] or [b""], dtype=np.bytes_)
    ids = ids[: sum(counts)]
    order = np.argsort(ids, kind="stable")
    words, classes = Words(), _Classes()
    kinds = [classes.number(row) for row in mine]
    hosts = [
        host.encode()
        for row, count in zip(mine, counts, strict=True)
        for host in _hosts(row, count)
    ]

    def column(values: Iterable[float], dtype: type) -> NDArray[Any]:
        return np.repeat(np.array(list(values), dtype=dtype), np.array(counts, np.int64))[order]

    def empty(value: float, dtype: type = np.float64) -> NDArray[Any]:
        return np.full(len(ids), value, dtype=dtype)

    state = column((int(row.state) for row in mine), np.uint8)
    notice = column((row.reclaim_at for row in mine), np.float64)
    return World(
        ids=ids[order],
        hosts=_wide(hosts, ids.itemsize + HOST_SUFFIX)[order],
        state=state,
        failed_from=empty(NO_STATE, np.uint8),
        class_index=column(kinds, np.uint32),
        classes=classes.listed,
        shard=column((words.number(_owner(row, rows)) for row in mine), np.uint32),
        cluster=column((words.number(row.cluster or "") for row in mine), np.uint32),
        reservation=column(map(words.number, _reservations(mine, rows)), np.uint32),
        words=words,
        version=empty(0, np.uint64),
        health=empty(OK, np.uint8),
        since=np.maximum(now + column((row.state_since for row in mine), np.float64), 0.0),
        ready=empty(nan),
        ends=empty(nan),
        grace=empty(nan),
        gives_up=empty(nan),
        late=empty(nan),
        due=now + notice,
        told=empty(nan),
        noticed=~np.isnan(notice),
        next=empty(inf),
        is_dead=empty(False, np.bool_),
        is_listed=empty(True, np.bool_),
        operation=empty(0, np.uint32),
        revision=empty(0, np.uint64),
        moved=empty(0, np.uint64),
        labels=tuple(_labels(mine, counts, order)),
    )


def _hosts(row: MachineRow, count: int) -> Iterable[str]:
    if row.host_ref is None:
        return repeat("", count)
    return expand(row.host_ref, count) if row.is_pattern else [row.host_ref]


def _wide(texts: Sequence[bytes], width: int) -> NDArray[np.bytes_]:
    """Give texts as a column that is wide enough for others too."""
    return np.array(texts, dtype=f"S{max(width, *map(len, texts), 1)}")


def _owner(row: MachineRow, rows: FleetRows) -> str:
    is_told = rows.shards_given or row.state is not State.SPECULATIVE
    return row.shard if is_told else ""


def _reservations(mine: Sequence[MachineRow], rows: FleetRows) -> Iterator[str]:
    """Give the need that each row serves or is reserved for, as cluster/id; "" for none."""
    written = {id(rows.machines[place]): text for place, text in rows.serves_written.items()}
    for row in mine:
        if row.serves >= 0:
            yield f"{rows.needs[row.serves].cluster}/{rows.needs[row.serves].id}"
        else:
            text = written.get(id(row), "")
            yield f"{row.cluster}/{text}" if text and row.cluster and "/" not in text else text


def _refuse_nul(mine: Sequence[MachineRow]) -> None:
    faults = [
        Fault("machines", f"{text!r} holds a NUL, which no name of a machine may.")
        for row in mine
        for text in (row.id, row.host_ref or "")
        if "\0" in text
    ]
    if faults:
        raise InputFault(faults)


def _labels(
    mine: Sequence[MachineRow], counts: Sequence[int], order: NDArray[np.int64]
) -> Iterator[LabelColumn]:
    """Give each label that any machine has."""
    starts = np.cumsum([0, *counts])
    for key in sorted({key for row in mine for key in row.labels}):
        words, index = Words(), np.zeros(len(order), dtype=np.uint32)
        for row, count, start in zip(mine, counts, starts.tolist(), strict=False):
            text = row.labels.get(key)
            if text is not None:
                texts = expand(text, count) if row.is_pattern else [text]
                # An empty value is a value too, and 0 says that there is none.
                index[start : start + count] = [words.number(each + "=") for each in texts]
        values = tuple(word[:-1] for word in words.listed[1:])
        yield LabelColumn(key, values, index[order])


@dataclass(slots=True)
class _Classes:
    """The classes of rows, by number."""

    listed: list[MachineClass] = field(default_factory=list)
    places: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, row: MachineRow) -> int:
        price = None if row.price_per_hour != row.price_per_hour else row.price_per_hour
        resources: Mapping[str, int] = dict(row.resources)
        chance = row.interruption_probability
        key = (
            row.capacity_type,
            row.instance_type,
            price,
            chance,
            tuple(sorted(resources.items())),
        )
        if key not in self.places:
            self.places[key] = len(self.listed)
            self.listed.append(
                MachineClass(row.capacity_type, row.instance_type, price, chance, resources)
            )
        return self.places[key]
