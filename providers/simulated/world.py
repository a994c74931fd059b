"""All machines of a simulated provider as columns, sorted by id: no Python object for any."""

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
from providers.machine import Failure, Health, MachineClass
from providers.simulated.knobs import Match

Rows = NDArray[np.int64]

OK = HEALTHS.index(Health.OK)

HOST_SUFFIX = 11
"""Letters that a new host's name may have more than its machine's: a dash and a number."""


COMING = ("ends", "gives_up", "late", "told", "due")
"""The columns of ``World`` that say when something happens by itself; at one instant in this order.
"""


@dataclass(slots=True)
class Words:
    """Texts that occur often, by number; 0 is ""."""

    listed: list[str] = field(default_factory=lambda: [""])
    places: dict[str, int] = field(default_factory=lambda: {"": 0})

    def number(self, text: str) -> int:
        """Give the number of a text; a new one gets the next."""
        place = self.places.setdefault(text, len(self.listed))
        if place == len(self.listed):
            self.listed.append(text)
        return place


@dataclass(slots=True)
class World:
    """How all machines of a provider stand, each array of shape ``(n,)``, sorted by id.

    Attributes
    ----------
    ids, hosts
        Bytes in UTF-8; no host is "".
    state, failed_from
        Codes of ``models.machine.State``; NO_STATE: none.
    shard, cluster, reservation
        Numbers of ``words``.
    since
        When the state began.
    ready
        When the provider says that the transition will be over; NaN: none runs.
    ends
        When it is over in truth, infinite for one that hangs; NaN: none runs.
    grace
        When the grace of a drain ends; NaN: none runs.
    gives_up
        When the provider gives it up; NaN: none runs, infinite: never.
    late
        When a Create that was answered with an error is done all the same; NaN: none.
    due
        When the cloud takes the machine back, of those with a host; NaN: nobody knows.
    told
        When it says so; NaN: it has, or never takes it back.
    noticed
        Whether it has: then ``due`` is the machine's ``reclaim_at``.
    next
        When the next of all these comes; infinite: none. ``touch`` keeps it.
    operation
        How many operations have begun.
    revision
        The world's, when the machine last changed.
    is_dead
        The node has vanished: Get does not know it, Lists still have it.
    is_listed
        Not withdrawn: a slot that a smaller quota took away is listed no more, nor may it be had.
    failures
        The last failure by row.
    gone
        Revision at which an id left the List.
    next_at
        Nothing happens to any machine before; it may be earlier than what comes first.
    is_recounted
        No machine has become spare, or real without an order, since somebody set this.
    masks
        The machines of each ``Match`` that was asked for; kept by ``rules.matching``.
    """

    ids: NDArray[np.bytes_]
    hosts: NDArray[np.bytes_]
    state: NDArray[np.uint8]
    failed_from: NDArray[np.uint8]
    class_index: NDArray[np.uint32]
    classes: list[MachineClass]
    shard: NDArray[np.uint32]
    cluster: NDArray[np.uint32]
    reservation: NDArray[np.uint32]
    words: Words
    version: NDArray[np.uint64]
    health: NDArray[np.uint8]
    since: NDArray[np.float64]
    ready: NDArray[np.float64]
    ends: NDArray[np.float64]
    grace: NDArray[np.float64]
    gives_up: NDArray[np.float64]
    late: NDArray[np.float64]
    due: NDArray[np.float64]
    told: NDArray[np.float64]
    noticed: NDArray[np.bool_]
    next: NDArray[np.float64]
    is_dead: NDArray[np.bool_]
    is_listed: NDArray[np.bool_]
    operation: NDArray[np.uint32]
    revision: NDArray[np.uint64]
    labels: tuple[LabelColumn, ...]
    failures: dict[int, Failure] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    now_revision: int = 0
    next_at: float = inf
    is_recounted: bool = True
    masks: dict[Match, NDArray[np.bool_]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def row(self, machine: str) -> int | None:
        """Find a machine by its id, in ``log n``."""
        name = machine.encode()
        # A longer one would be cut to the width of the column, and found.
        if len(name) > self.ids.itemsize:
            return None
        place = int(self.ids.searchsorted(np.bytes_(name)))
        return place if place < len(self.ids) and self.ids[place] == name else None

    def name(self, row: int) -> str:
        """Give the id of a row."""
        return bytes(self.ids[row]).decode()

    def label(self, row: int, key: str) -> str:
        """Give a label of a machine, "" where it has none."""
        for column in self.labels:
            if column.key == key:
                code = int(column.index[row])
                return column.values[code - 1] if code else ""
        return ""

    def all_labels(self, row: int) -> dict[str, str]:
        """Give all labels of a machine."""
        return {
            column.key: column.values[int(column.index[row]) - 1]
            for column in self.labels
            if column.index[row]
        }

    def coming(self, rows: Rows | int) -> NDArray[np.float64]:
        """Give what will happen to machines by itself, and when: a row for each of ``COMING``."""
        return np.array([getattr(self, name)[rows] for name in COMING])

    def schedule(self, rows: Rows | int) -> None:
        """Keep when the next thing happens to machines, of which a time has changed."""
        first = np.fmin.reduce(self.coming(rows), axis=0, initial=inf)
        self.next[rows] = first
        self.next_at = min(self.next_at, float(np.min(first, initial=inf)))

    def touch(self, rows: Rows | int) -> None:
        """Note that machines have changed."""
        self.now_revision += 1
        self.revision[rows] = self.now_revision
        self.schedule(rows)

    def settle(self, rows: Rows | int, state: State, at: NDArray[np.float64] | float) -> None:
        """Let machines come to rest; what runs is over, and what a state may not have is gone."""
        self.state[rows], self.since[rows] = state, at
        self.failed_from[rows] = NO_STATE
        for column in (self.ready, self.ends, self.grace, self.gives_up):
            column[rows] = nan
        if state in (State.IDLE, State.SPECULATIVE):
            self.cluster[rows] = 0
        if state is State.SPECULATIVE:
            self.hosts[rows], self.reservation[rows] = b"", 0
            self.due[rows] = self.told[rows] = nan
            self.noticed[rows] = self.is_dead[rows] = False
            self.is_recounted = False

    @property
    def hosted(self) -> NDArray[np.bool_]:
        """Mark the machines with a host."""
        marked: NDArray[np.bool_] = self.hosts != b""
        return marked

    @property
    def used(self) -> NDArray[np.bool_]:
        """Mark the machines that take quota and addresses: from Create to the end of Delete."""
        marked: NDArray[np.bool_] = self.state != State.SPECULATIVE
        return marked

    def labelled(self, key: str, value: str) -> NDArray[np.bool_]:
        """Mark the machines that carry a label with this value."""
        for column in self.labels:
            if column.key == key and value in column.values:
                marked: NDArray[np.bool_] = column.index == column.values.index(value) + 1
                return marked
        return np.zeros(len(self), dtype=np.bool_)


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
