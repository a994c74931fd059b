"""What is alike among the accounts' machines, and how they look from outside."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from models.labels import HOSTNAME, QUOTA, SUBNET, ZONE
from models.machine import CapacityType, State
from providers.columns import MachineColumns
from providers.fanout.rests import Kind
from providers.machine import Machine, MachineClass
from providers.texts import Texts

HIDDEN = frozenset({QUOTA, SUBNET})
"""Labels that name an account's own limits. They are the fan-out's business: whoever looks from
outside sees one quota and one subnet, which have no more only when no account has."""

_APART = HIDDEN | {HOSTNAME}


class Group(NamedTuple):
    """All by which two slots must agree to stand for each other.

    The owner is among it, as the account last heard of it: a slot that one shard had would refuse
    the orders of another.
    """

    capacity_type: CapacityType
    instance_type: str
    price_per_hour: float | None
    interruption_probability: float
    resources: frozenset[tuple[str, int]]
    labels: frozenset[tuple[str, str]]
    shard: str
    ownership_version: int

    def kind(self, account: str) -> Kind:
        """Give what an account may run out of."""
        zone = next((value for key, value in self.labels if key == ZONE), "")
        return Kind(account, self.instance_type, self.capacity_type, zone)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a fan-out learns from a report on one machine of an account."""

    machine: str
    state: State | None
    revision: int
    group: Group


def group_of(
    kind: MachineClass, labels: Mapping[str, str], shard: str, ownership_version: int
) -> Group:
    """Give the group of a machine."""
    return Group(
        kind.capacity_type,
        kind.instance_type,
        kind.price_per_hour,
        kind.interruption_probability,
        frozenset(kind.resources.items()),
        frozenset((key, value) for key, value in labels.items() if key not in _APART),
        shard,
        ownership_version,
    )


def seen_row(machine: Machine) -> Seen:
    """Read one machine."""
    group = group_of(machine.kind, machine.labels, machine.shard, machine.ownership_version)
    return Seen(machine.id, machine.state, machine.revision, group)


def seen_columns(columns: MachineColumns) -> Iterator[Seen]:
    """Read many, in their order; each group is made once."""
    labels = [label for label in columns.labels if label.key not in _APART]
    codes = [columns.class_index, columns.shard, columns.ownership_version]
    table = np.stack([np.asarray(each, np.uint64) for each in codes + [x.index for x in labels]])
    rows, places = np.unique(table, axis=1, return_inverse=True)
    groups = [
        group_of(
            columns.classes[kind],
            {x.key: x.values[at - 1] for x, at in zip(labels, marks, strict=True) if at},
            columns.texts[shard],
            version,
        )
        for kind, shard, version, *marks in rows.T.tolist()
    ]
    states = {int(state): state for state in State}
    told = (
        columns.ids.tolist(), columns.state.tolist(), columns.revision.tolist(),
        places.ravel().tolist(),
    )  # fmt: skip
    for machine, state, revision, place in zip(*told, strict=True):
        yield Seen(machine, states.get(state), revision, groups[place])


def shown_row(machine: Machine, name: str, added: int) -> Machine:
    """Show one machine under an id."""
    labels = {key: value for key, value in machine.labels.items() if key not in HIDDEN}
    return replace(machine, id=name, labels=labels, revision=machine.revision + added)


def shown_columns(
    columns: MachineColumns, names: Sequence[str], added: Iterable[int]
) -> MachineColumns:
    """Show many, each under its id."""
    return replace(
        columns,
        ids=Texts.of(names),
        labels=tuple(label for label in columns.labels if label.key not in HIDDEN),
        revision=columns.revision + np.fromiter(added, np.uint64, len(columns)),
    )
