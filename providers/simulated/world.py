"""All machines of a simulated provider as columns, sorted by id: no Python object for any."""

from dataclasses import dataclass, field
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from models.machine import State
from providers.columns import NO_STATE, LabelColumn
from providers.machine import Failure, MachineClass
from providers.simulated.knobs import Match

Rows = NDArray[np.int64]

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
    moved
        The world's, when the machine last went to another owner; 0: never.
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
    moved: NDArray[np.uint64]
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
