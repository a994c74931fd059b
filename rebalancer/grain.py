"""What goals can tell apart about machines beyond what rules can: it makes the groups finer.

A goal is exact only where its machines of one group count alike. So groups are split by marks, of
which each goal has its own; a machine to which a goal is indifferent has the mark ``ANY``.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotpath.matching import Matching
from models.distinct import alike
from models.fleet import Fleet, Ints, Mask
from models.machine import State
from models.need import Need
from models.rules import Goal
from models.standing import Standing
from rebalancer.sites import Sites

ANY = -2
"""Apart from -1, which says that a machine is in no domain."""

Marks = list[NDArray[np.generic]]

COARSER: tuple[tuple[Goal, ...], ...] = (
    (),
    (Goal.GANG_SPREAD,),
    (Goal.GANG_SPREAD, Goal.DOMAIN_FRAGMENTATION),
    (Goal.GANG_SPREAD, Goal.DOMAIN_FRAGMENTATION, Goal.SPOT_DIVERSITY),
)
"""Goals that a snapshot goes without, the one that splits groups most first."""


@dataclass(frozen=True, eq=False, slots=True)
class Grain:
    """How fine the groups are to be.

    ``marks`` are columns of the fleet's machines, each ``(M,)``; ``domains`` are those that must
    not be opened lightly, None where nobody asks.
    """

    standing: Standing
    marks: Marks
    domains: "LowestDomains | None"

    def groups(self, columns: Marks, rows: Ints) -> list[Ints]:
        """Sort the machines ``rows``, ``(R,)``, by columns ``(R,)`` and the marks.

        Groups come in the order of the columns, each as places in ``rows`` in the order in which
        machines are taken: lowest first, but domain by domain where that opens fewer of them.
        """
        columns = [*columns, *(mark[rows] for mark in self.marks)]
        groups = alike(columns, len(rows))
        if self.domains is None:
            return groups
        number = np.zeros(len(rows), dtype=np.int64)
        for rank, group in enumerate(groups):
            number[group] = rank
        opens = fragment_mark(self.standing, self.domains, rows, number)
        place = self.domains.of_machine[rows]
        return [
            _by_domain(group, place[group]) if opens[group[0]] > 0 else group
            for group in alike([*columns, opens], len(rows))
        ]


def grain_of(
    standing: Standing,
    matching: Matching,
    sites: Sites,
    needs: Sequence[Need],
    without: Collection[Goal] = (),
) -> Grain:
    """Give what the goals ask for; ``needs`` are those of the sites."""
    marks = Marks()
    if Goal.SPOT_DIVERSITY not in without:
        marks += spot_marks(standing)
    if Goal.GANG_SPREAD not in without:
        marks += gang_marks(matching, sites, needs)
    is_asked = Goal.DOMAIN_FRAGMENTATION not in without
    return Grain(standing, marks, lowest_domains(standing, matching) if is_asked else None)


def _by_domain(group: Ints, place: Ints) -> Ints:
    """Put one domain after the other, the one with the lowest machine first."""
    _, first, domain = np.unique(place, return_index=True, return_inverse=True)
    ordered: Ints = group[np.lexsort((group, first[domain]))]
    return ordered


def level_below(fleet: Fleet, key: str | None) -> str | None:
    """Give the level under one of the topology; None under the lowest and beside the tree."""
    levels = fleet.topology
    return levels[levels.index(key) + 1] if key in levels[:-1] else None


def spot_marks(standing: Standing) -> Marks:
    """Tell spot machines apart by zone, those that serve nobody by cluster too; each ``(M,)``."""
    fleet, machines = standing.fleet, standing.fleet.machines
    is_spot = fleet.numbers.is_spot[machines.class_index]
    zone = np.where(is_spot, fleet.zone_codes()[machines.cell], ANY)
    return [zone, np.where(is_spot & standing.excess, machines.cluster, ANY)]


def gang_marks(matching: Matching, sites: Sites, needs: Sequence[Need]) -> Marks:
    """Tell machines that a short gang could use apart by the level below its own; each ``(M,)``.

    ``needs`` are those of the sites.
    """
    fleet, marks = matching.fleet, Marks()
    for key in sorted({need.same for need in needs if need.same is not None}):
        below = level_below(fleet, key)
        if below is not None:
            gangs = [index for index, need in enumerate(needs) if need.same == key]
            wanted: Mask = np.logical_or.reduce(sites.serves[:, gangs], axis=1)
            marks.append(
                np.where(wanted[sites.kind], matching.domains(below), ANY)[fleet.machines.cell]
            )
    return marks


@dataclass(frozen=True, eq=False, slots=True)
class LowestDomains:
    """The domains of the lowest level, ``D`` of them, and how full they are.

    Attributes
    ----------
    of_machine
        Shape ``(M,)``; -1 outside all.
    free, hosts
        Shape ``(D,)``. Idle machines that no cycle has reserved; all machines with a host.
    """

    of_machine: Ints
    free: Ints
    hosts: Ints

    @property
    def partly_used(self) -> Mask:
        """Mark the domains, ``(D,)``, with machines that are free and others that are not."""
        mask: Mask = (self.free > 0) & (self.free < self.hosts)
        return mask

    @property
    def wholly_free(self) -> Mask:
        """Mark the domains, ``(D,)``, in which every machine with a host is free."""
        mask: Mask = (self.free > 0) & (self.free == self.hosts)
        return mask


def lowest_domains(standing: Standing, matching: Matching) -> LowestDomains:
    """Count the machines in each domain of the lowest level of the topology."""
    fleet, machines = standing.fleet, standing.fleet.machines
    if not fleet.topology:
        outside = np.full(len(machines), -1, dtype=np.int64)
        return LowestDomains(outside, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    key = fleet.topology[-1]
    place = matching.domains(key)[machines.cell].astype(np.int64)
    size, inside = len(matching.domain_names(key)), place >= 0
    idle = standing.free & (machines.state == State.IDLE)
    return LowestDomains(
        place,
        np.bincount(place[inside & idle], minlength=size),
        np.bincount(place[inside & machines.hosted], minlength=size),
    )


def fragment_mark(standing: Standing, domains: LowestDomains, rows: Ints, group: Ints) -> Ints:
    """Tell free and new machines, ``rows``, apart by what taking them does to their domain.

    ``group``, of the same shape, numbers the groups without this mark. Partly used domains count
    alike: 0. So do wholly free ones of one size, which is their mark, if all that is free in them
    is of one group, and moves: then the fewest are opened by going through one after the other.
    Every other wholly free domain has a mark of its own.
    """
    place, state = domains.of_machine[rows], standing.fleet.machines.state[rows]
    size = len(domains.free)
    opens = np.isin(state, (State.IDLE, State.SPECULATIVE)) & (place >= 0)
    opens &= np.append(domains.wholly_free, False)[place]
    first, last = np.full(size, len(rows), dtype=np.int64), np.full(size, -1, dtype=np.int64)
    np.minimum.at(first, place[opens], group[opens])
    np.maximum.at(last, place[opens], group[opens])
    alike = (first == last) & (np.bincount(place[opens], minlength=size) == domains.free)
    one_by_one = len(standing.fleet.machines) + np.arange(size)
    mark = np.append(np.where(alike, domains.free, one_by_one), ANY)
    is_less = (state == State.IDLE) & np.append(domains.partly_used, False)[place]
    found: Ints = np.where(opens, mark[place], np.where(is_less, 0, ANY))
    return found
