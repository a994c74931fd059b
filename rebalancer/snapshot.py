"""The fleet in groups of like machines and lists of what is short: all that a solve reads.

A *supply group* holds machines of one donor shard that no rule and no goal can tell apart; a
*demand* is one need that stayed short. Variables grow with groups, not with machines.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from hotpath.matching import Matching
from models.fleet import Fleet, Ints, Mask, Reals
from models.machine import State
from models.rules import Goal
from models.standing import Standing
from rebalancer.digest import digest_of
from rebalancer.grain import COARSER, Grain, grain_of
from rebalancer.migrants import migrants_of
from rebalancer.reclamation import reclamation_usd
from rebalancer.rules.machines import MACHINE_RULES
from rebalancer.sites import sites_of
from rebalancer.transfer_rules import TransferRules

FINE_PAIRS = 50_000
"""Pairs of group and need up to which goals may split groups as they like."""

FINER = 2
"""Beyond that they may make so many times as many pairs as there are without them."""

COARSE_FROM = 500_000
"""Where there are more without them, they may split nothing: it is not even tried."""

Grouped = tuple["Supply", NDArray[np.bool_]]
"""Groups, and whom each may serve; see ``Snapshot.eligible``."""


class SupplyKind(IntEnum):
    """What a machine is doing before it moves; in the order in which sources are taken."""

    IDLE = 0
    SPECULATIVE = 1
    EXCESS = 2
    RUNNING = 3

    @property
    def drains(self) -> bool:
        """Tell whether taking it ends what runs on it."""
        return self in (SupplyKind.EXCESS, SupplyKind.RUNNING)


@dataclass(frozen=True, eq=False, slots=True)
class Supply:
    """The groups, ``G`` of them.

    Sorted by (shard, kind, class, site, victim, penalty, seconds, what goals tell apart).

    Attributes
    ----------
    shard, machine_class, kind, victim
        Shape ``(G,)``. The donor; the class; code of ``SupplyKind``; the need that loses, or -1.
    cell
        Shape ``(G,)``. A cell that stands for all of the group: they may differ only in what no
        demand asks about.
    penalty
        Shape ``(G,)``. USD per machine taken from its victim, see ``reclamation``; 0 where nobody
        loses.
    ready_seconds
        Shape ``(G,)``. Expected seconds until a machine can be configured for its new need.
    machines
        For each group the row numbers of its machines in the order in which they are taken, the
        lowest id first.
    count
        Shape ``(G,)``. How many these are.
    """

    shard: Ints
    kind: Ints
    machine_class: Ints
    cell: Ints
    victim: Ints
    penalty: Reals
    ready_seconds: Reals
    machines: tuple[Ints, ...]
    count: Ints = field(init=False)

    def __post_init__(self) -> None:
        count = np.array([len(rows) for rows in self.machines], dtype=np.int64)
        object.__setattr__(self, "count", count)

    def __len__(self) -> int:
        return len(self.machines)

    @property
    def drains(self) -> Mask:
        """Mark the groups whose machines must be drained first, shape ``(G,)``."""
        return self.kind >= SupplyKind.EXCESS


@dataclass(frozen=True, eq=False, slots=True)
class Demand:
    """Needs that stayed short, ``N`` of them, highest priority first, then by row of the need.

    After them come running gangs that may move: ``short`` is then all that they ask for.

    Attributes
    ----------
    need, shard, priority
        Shape ``(N,)``. Rows of the fleet; the need's priority.
    short
        Shape ``(N,)``. Machines that it lacks, or would have to find.
    migrates
        Shape ``(N,)``. Whether it runs and may move; what it leaves, a gang that is short takes.
    """

    need: Ints
    shard: Ints
    priority: Ints
    short: Ints
    migrates: Mask

    def __len__(self) -> int:
        return len(self.need)


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """What one solve starts from.

    Attributes
    ----------
    matching
        Answers of the hot path about requirements, resources and domains, each found once.
    eligible
        Shape ``(G, N)``. A drained or new machine of the group meets the need's requirements and
        has its resources, and a new one is ready in time. Own needs are included: they say what a
        donor keeps.
    without
        Goals that the plan goes without: groups that tell apart what these ask about would be too
        many.
    digest
        Short name of the content; equal for equal content in whatever order the rows came.
    cooling
        Shape ``(M,)``. Machines that were transferred a moment ago and must stay; None: no such.
    """

    standing: Standing
    rules: TransferRules
    matching: Matching
    supply: Supply
    demand: Demand
    eligible: NDArray[np.bool_]
    without: tuple[Goal, ...]
    digest: str
    cooling: Mask | None = None

    @property
    def fleet(self) -> Fleet:
        """Give the fleet beneath."""
        return self.standing.fleet

    def held(self, demand: int) -> Ints:
        """Give the machines, by row, beside which what a demand gets will stand."""
        if self.demand.migrates[demand]:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.standing.serves == self.demand.need[demand])


def snapshot_of(
    standing: Standing, rules: TransferRules | None = None, cooling: Mask | None = None
) -> Snapshot:
    """Aggregate a standing.

    ``cooling`` marks machines, ``(M,)``, that were transferred a moment ago and must stay.
    """
    rules = rules or TransferRules()
    fleet = standing.fleet
    matching = Matching(fleet, rules.bootstrap_keys)
    movable = np.ones(len(fleet.machines), dtype=np.bool_)
    for mask in MACHINE_RULES.values():
        movable &= mask(standing)
    if cooling is not None:
        movable &= ~cooling
    short = np.flatnonzero(standing.short > 0)
    demand = _demand(standing, short, migrants_of(standing, matching, rules, movable, short))
    needs = [fleet.needs[need] for need in demand.need.tolist()]
    sites = sites_of(matching, needs)
    wanted: Mask = np.logical_or.reduce(sites.serves, axis=1)
    movable &= wanted[sites.kind[fleet.machines.cell]]

    def grouped(without: tuple[Goal, ...]) -> Grouped:
        grain = grain_of(standing, matching, sites, needs, without)
        supply = _supply(standing, movable, sites.of_cell, grain)
        eligible = sites.serves[sites.kind[supply.cell]]
        slow = _slow(supply, rules)
        if slow.any():
            # A tier-1 need would wait too long for these.
            eligible[np.ix_(slow, demand.priority >= rules.tier1)] = False
        return supply, eligible

    without, (supply, eligible) = _finest(grouped)
    digest = digest_of(standing, rules, cooling)
    return Snapshot(standing, rules, matching, supply, demand, eligible, without, digest, cooling)


def _finest(
    grouped: Callable[[tuple[Goal, ...]], Grouped],
) -> tuple[tuple[Goal, ...], Grouped]:
    """Leave out as few goals as keeps the pairs within bounds; give those, and the groups."""
    *finer, every = COARSER
    coarsest = grouped(every)
    least = int(np.count_nonzero(coarsest[1]))
    if least <= COARSE_FROM:
        for without in finer:
            found = grouped(without)
            if int(np.count_nonzero(found[1])) <= max(FINE_PAIRS, FINER * least):
                return without, found
    return every, coarsest


def _demand(standing: Standing, short: Ints, migrants: Ints) -> Demand:
    fleet = standing.fleet
    priority = _ints([need.priority for need in fleet.needs])
    needs = np.concatenate([short[np.argsort(-priority[short], kind="stable")], migrants])
    owner = _ints([fleet.shard_of_need(need) for need in needs.tolist()])
    needs, owner = needs[owner >= 0], owner[owner >= 0]
    migrates = np.isin(needs, migrants)
    lacks = np.where(migrates, standing.have[needs], standing.short[needs])
    return Demand(needs, owner, priority[needs], lacks, migrates)


def _supply(standing: Standing, movable: Mask, site: Ints, grain: Grain) -> Supply:
    """Group the movable machines."""
    fleet = standing.fleet
    rows = np.flatnonzero(movable)
    machines = fleet.machines.take(rows)
    kind = _kinds(standing)[rows]
    runs = kind == SupplyKind.RUNNING
    victim = np.where(runs, standing.serves[rows], -1)
    needs = fleet.needs
    drain_seconds = np.array([*(need.drain_seconds for need in needs), 0.0])[victim]
    penalty = np.where(runs, reclamation_usd(standing, rows), 0.0)
    new = kind == SupplyKind.SPECULATIVE
    ready = np.where(new, machines.ready_seconds, drain_seconds)
    columns: list[NDArray[np.generic]] = [
        machines.shard, kind, machines.class_index, site[machines.cell], victim, penalty, ready,
    ]  # fmt: skip
    groups = grain.groups(columns, rows)
    first = _ints([group[0] for group in groups])
    return Supply(
        shard=machines.shard[first].astype(np.int64),
        kind=kind[first],
        machine_class=machines.class_index[first].astype(np.int64),
        cell=machines.cell[first].astype(np.int64),
        victim=victim[first].astype(np.int64),
        penalty=penalty[first],
        ready_seconds=ready[first],
        machines=tuple(rows[group] for group in groups),
    )


def _slow(supply: Supply, rules: TransferRules) -> Mask:
    """Mark the groups, ``(G,)``, of slots that take longer to be ready than a tier-1 need waits."""
    is_new = supply.kind == SupplyKind.SPECULATIVE
    mask: Mask = is_new & (supply.ready_seconds > rules.max_wait_seconds)
    return mask


def _kinds(standing: Standing) -> Ints:
    """Give the ``SupplyKind`` of each available machine; of no meaning for the others."""
    kind = np.full(len(standing.fleet.machines), SupplyKind.RUNNING, dtype=np.int64)
    kind[standing.excess] = SupplyKind.EXCESS
    state = standing.fleet.machines.state
    kind[standing.free & (state == State.IDLE)] = SupplyKind.IDLE
    kind[standing.free & (state == State.SPECULATIVE)] = SupplyKind.SPECULATIVE
    return kind


def _ints(values: Sequence[int] | Sequence[np.int64]) -> Ints:
    return np.array(values, dtype=np.int64)
