"""Many machines column by column, so that a full List takes no Python object for each."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.machine import State
from providers.machine import Failure, Health, Machine, MachineClass
from providers.texts import Texts

Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint32]
Counts = NDArray[np.uint64]
Reals = NDArray[np.float64]

T = TypeVar("T")

NO_STATE = 255
"""Code of a state that nobody knows, or of none."""

_STATE_OF: dict[int, State | None] = {int(state): state for state in State} | {NO_STATE: None}

HEALTHS = tuple(Health)
"""The health of each code."""


@dataclass(frozen=True, eq=False, slots=True)
class LabelColumn:
    """One label of many machines: ``values[index - 1]``, or none where the index is 0."""

    key: str
    values: tuple[str, ...]
    index: Codes


@dataclass(frozen=True, eq=False, slots=True)
class MachineColumns:
    """Machines, each array of shape ``(n,)``; see ``Machine`` for what they mean.

    Attributes
    ----------
    state, failed_from
        Codes of ``models.machine.State``; NO_STATE: unknown, and none.
    class_index
        Rows in ``classes``.
    shard, cluster, reservation
        Rows in ``texts``, whose first is "".
    health
        Places in ``HEALTHS``.
    state_since, estimated_ready, reclaim_at
        Seconds since 1970; NaN: none.
    failures
        The last failure by place, of those that have one.

    Raises
    ------
    ValueError
        When shapes disagree, a code leads nowhere or a machine has no id; the message names the
        column.
    """

    ids: Texts
    state: Bytes
    class_index: Codes
    classes: tuple[MachineClass, ...]
    shard: Codes
    cluster: Codes
    reservation: Codes
    texts: tuple[str, ...]
    operations: Texts
    hosts: Texts
    ownership_version: Counts
    health: Bytes
    state_since: Reals
    estimated_ready: Reals
    reclaim_at: Reals
    failed_from: Bytes
    revision: Counts
    labels: tuple[LabelColumn, ...] = ()
    failures: Mapping[int, Failure] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        n = len(self.ids)
        for name in _ARRAYS:
            if len(getattr(self, name)) != n:
                raise ValueError(f"{name} has {len(getattr(self, name))} entries, not {n}.")
        _check("class_index", self.class_index, len(self.classes))
        for name in _TEXTS:
            _check(name, getattr(self, name), len(self.texts))
        _check("health", self.health, len(HEALTHS))
        for name in ("state", "failed_from"):
            codes = getattr(self, name)
            _check(name, codes[codes != NO_STATE], len(State))
        for label in self.labels:
            if len(label.index) != n:
                raise ValueError(f"label {label.key} has {len(label.index)} entries, not {n}.")
            _check(f"label {label.key}", label.index, len(label.values) + 1)
        if any(not 0 <= place < n for place in self.failures):
            raise ValueError(f"failures are of places beyond the {n} machines.")
        if np.any(np.diff(self.ids.ends, prepend=np.uint32(0)) == 0):
            raise ValueError("ids has an empty one.")

    def __len__(self) -> int:
        return len(self.ids)


_ARRAYS = (
    "state", "class_index", "shard", "cluster", "reservation", "operations", "hosts",
    "ownership_version", "health", "state_since", "estimated_ready", "reclaim_at", "failed_from",
    "revision",
)  # fmt: skip
_TEXTS = ("shard", "cluster", "reservation")


def _check(name: str, codes: NDArray[Any], most: int) -> None:
    if len(codes) and int(codes.max()) >= most:
        raise ValueError(f"{name} has the code {int(codes.max())}, but there are {most}.")


def columns_of(machines: Sequence[Machine]) -> MachineColumns:
    """Put machines into columns, in their order."""
    classes, texts = _Numbers[MachineClass](), _Numbers[str]()
    texts.number("")
    labels: dict[str, tuple[_Numbers[str], Codes]] = {}
    for place, machine in enumerate(machines):
        for key, value in machine.labels.items():
            if key not in labels:
                labels[key] = (_Numbers(), np.zeros(len(machines), dtype=np.uint32))
            numbers, index = labels[key]
            index[place] = numbers.number(value) + 1

    def column(dtype: type, value: Callable[[Machine], int | float]) -> NDArray[Any]:
        return np.fromiter((value(m) for m in machines), dtype=dtype, count=len(machines))

    def named(name: str) -> Codes:
        return column(np.uint32, lambda m: texts.number(getattr(m, name)))

    return MachineColumns(
        ids=Texts.of([m.id for m in machines]),
        state=column(np.uint8, lambda m: _code(m.state)),
        # A class holds a mapping, which cannot be hashed: its fields are its key.
        class_index=column(np.uint32, lambda m: classes.number(m.kind, _key(m.kind))),
        classes=tuple(classes.listed),
        **{name: named(name) for name in _TEXTS},
        texts=tuple(texts.listed),
        operations=Texts.of([m.operation for m in machines]),
        hosts=Texts.of([m.host for m in machines]),
        ownership_version=column(np.uint64, lambda m: m.ownership_version),
        health=column(np.uint8, lambda m: HEALTHS.index(m.health)),
        state_since=column(np.float64, lambda m: _seconds(m.state_since)),
        estimated_ready=column(np.float64, lambda m: _seconds(m.estimated_ready)),
        reclaim_at=column(np.float64, lambda m: _seconds(m.reclaim_at)),
        failed_from=column(np.uint8, lambda m: _code(m.failed_from)),
        revision=column(np.uint64, lambda m: m.revision),
        labels=tuple(LabelColumn(k, tuple(v.listed), index) for k, (v, index) in labels.items()),
        failures={
            place: machine.last_failure
            for place, machine in enumerate(machines)
            if machine.last_failure is not None
        },
    )


def machines_of(columns: MachineColumns) -> Iterator[Machine]:
    """Give the machines of columns one by one, in their order."""
    texts = columns.texts
    labels = [(each.key, ("", *each.values), each.index.tolist()) for each in columns.labels]
    # Whole columns to Python at once: 11 us a machine where each was looked up in every column.
    rows = zip(
        columns.ids.tolist(),
        columns.state.tolist(),
        columns.class_index.tolist(),
        columns.shard.tolist(),
        columns.ownership_version.tolist(),
        columns.cluster.tolist(),
        columns.reservation.tolist(),
        columns.hosts.tolist(),
        columns.health.tolist(),
        columns.state_since.tolist(),
        columns.estimated_ready.tolist(),
        columns.reclaim_at.tolist(),
        columns.operations.tolist(),
        columns.failed_from.tolist(),
        columns.revision.tolist(),
        strict=True,
    )
    for place, row in enumerate(rows):
        (id, state, kind, shard, version, cluster, reservation, host, health, since, ready, reclaim,
         operation, failed_from, revision) = row  # fmt: skip
        yield Machine(
            id=id,
            state=_STATE_OF[state],
            kind=columns.classes[kind],
            shard=texts[shard],
            ownership_version=version,
            cluster=texts[cluster],
            reservation=texts[reservation],
            host=host,
            labels={key: values[index[place]] for key, values, index in labels if index[place]},
            health=HEALTHS[health],
            state_since=since if since == since else None,
            estimated_ready=ready if ready == ready else None,
            reclaim_at=reclaim if reclaim == reclaim else None,
            operation=operation,
            last_failure=columns.failures.get(place),
            failed_from=_STATE_OF[failed_from],
            revision=revision,
        )


@dataclass(slots=True)
class _Numbers(Generic[T]):
    """Numbers things in the order in which they first come."""

    listed: list[T] = field(default_factory=list)
    places: dict[Hashable, int] = field(default_factory=dict)

    def number(self, thing: T, key: Hashable = None) -> int:
        """Give the number of a thing; ``key`` stands for one that cannot be hashed."""
        key = thing if key is None else key
        place = self.places.setdefault(key, len(self.listed))
        if place == len(self.listed):
            self.listed.append(thing)
        return place


def _key(kind: MachineClass) -> Hashable:
    resources = frozenset(kind.resources.items())
    price, chance = kind.price_per_hour, kind.interruption_probability
    return (kind.capacity_type, kind.instance_type, price, chance, resources)


def _code(state: State | None) -> int:
    return NO_STATE if state is None else int(state)


def _seconds(time: float | None) -> float:
    return nan if time is None else time
