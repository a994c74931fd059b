"""The domains of a fleet: who holds each, which are alike, and which may change hands.

A domain is a node of the lowest level of the topology that any machine has; a machine without that
label is a domain of its own. A domain stays where one of its machines must stay: one that is in
use, reserved, ordered, in transition, failed, pinned, noticed or cooling.
"""

from dataclasses import dataclass

import numpy as np

from models.distinct import distinct
from models.fleet import Codes, Fleet, Ints, Mask
from models.standing import Standing


@dataclass(frozen=True, eq=False, slots=True)
class Domains:
    """Domains (``D``) in the order of their paths, lone machines last, by class and id.

    Attributes
    ----------
    level
        Key of the level; None where no machine has any.
    of_machine
        Shape ``(M,)``; -1 for machines that are left out.
    names
        By domain; a lone machine's is its id.
    stays
        Shape ``(M,)``. Machines that must not change hands.
    home
        Shape ``(D,)``. The shard that holds it: of one that is split, where most machines must
        stay, then where most are, then the lower number.
    movable
        Shape ``(D,)``. None of its machines must stay.
    group
        Shape ``(D,)``. Domains are alike that have as many machines of each class.
    kind, size
        Shape ``(G,)``. Which classes a group has, as a number, and how many machines.
    """

    level: str | None
    of_machine: Ints
    names: tuple[str, ...]
    stays: Mask
    home: Ints
    movable: Mask
    group: Ints
    kind: Ints
    size: Ints

    def __len__(self) -> int:
        return len(self.names)


def domains_of(standing: Standing, cooling: Mask, without: Mask) -> Domains:
    """Find the domains; machines ``cooling`` stay, those ``without`` are left out, ``(M,)``."""
    fleet = standing.fleet
    stays = staying(standing, cooling)
    level, of_machine, names = _numbered(fleet, np.flatnonzero(~without))
    inside = of_machine >= 0
    domain = of_machine[inside]
    shard = fleet.machines.shard[inside].astype(np.int64)
    group, kind, size = _groups(domain, fleet.machines.class_index[inside], len(names))
    return Domains(
        level=level,
        of_machine=of_machine,
        names=names,
        stays=stays,
        home=_homes(domain, shard, stays[inside], len(names)),
        movable=np.bincount(domain[stays[inside]], minlength=len(names)) == 0,
        group=group,
        kind=kind,
        size=size,
    )


def staying(standing: Standing, cooling: Mask) -> Mask:
    """Mark the machines, ``(M,)``, that must not change hands."""
    machines = standing.fleet.machines
    return np.asarray(~standing.free | machines.pinned | ~np.isnan(machines.reclaim_at) | cooling)


def _numbered(fleet: Fleet, rows: Ints) -> tuple[str | None, Ints, tuple[str, ...]]:
    """Give the level, the domain of each machine and the names; only of the given rows."""
    of_machine = np.full(len(fleet.machines), -1, dtype=np.int64)
    level: str | None = None
    named: tuple[str, ...] = ()
    place = np.full(len(rows), -1, dtype=np.int64)
    for key in reversed(fleet.topology):
        codes, found = fleet.cell_domains(key)
        place = codes[fleet.machines.cell[rows]].astype(np.int64)
        if np.any(place >= 0):
            level, named = key, found
            break
    has = place >= 0
    known, numbers = np.unique(place[has], return_inverse=True)
    of_machine[rows[has]] = numbers
    of_machine[rows[~has]] = len(known) + np.arange(np.count_nonzero(~has))
    alone = fleet.machines.ids[rows[~has]].tolist()
    return level, of_machine, (*(named[code] for code in known.tolist()), *alone)


def _homes(domain: Ints, shard: Ints, stays: Mask, domains: int) -> Ints:
    place, inverse = np.unique(np.column_stack([domain, shard]), axis=0, return_inverse=True)
    count = np.bincount(inverse, minlength=len(place))
    stay = np.bincount(inverse[stays], minlength=len(place))
    order = np.lexsort((place[:, 1], -count, -stay, place[:, 0]))
    _, first = np.unique(place[order, 0], return_index=True)
    homes: Ints = place[order][first, 1]
    if len(homes) != domains:
        raise ValueError("a domain has no machine.")
    return homes


def _groups(domain: Ints, class_index: Codes, domains: int) -> tuple[Ints, Ints, Ints]:
    """Give the group of each domain, and of each group its kind and size.

    The classes of each domain, in their order, are folded in one by one: domains that agree in
    what came before and in the next (class, count) stay together.
    """
    pairs, counts = np.unique(
        np.column_stack([domain, class_index.astype(np.int64)]), axis=0, return_counts=True
    )
    start = np.searchsorted(pairs[:, 0], np.arange(domains))
    width = np.bincount(pairs[:, 0], minlength=domains)
    group, kind = np.zeros(domains, dtype=np.int32), np.zeros(domains, dtype=np.int32)
    for turn in range(int(width.max(initial=0))):
        has = width > turn
        at = np.where(has, start + turn, 0)
        classes = np.where(has, pairs[at, 1], -1).astype(np.int32)
        amount = np.where(has, counts[at], -1).astype(np.int32)
        group, _ = distinct(np.column_stack([group, classes, amount]))
        kind, _ = distinct(np.column_stack([kind, classes]))
    found, first = np.unique(group, return_index=True)
    size = np.bincount(domain, minlength=domains)
    return group.astype(np.int64), kind[first].astype(np.int64), size[first][: len(found)]
