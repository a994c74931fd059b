"""Plan who owns what, for a fleet from a file: its shards' cycles, then like shares."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.audit import audit_ownership, require
from models.audit.violation import Violation
from models.errors import Fault, InputFault
from models.fleet import Fleet, Mask, Shard
from models.plan import ClusterMove, Plan
from models.settings import Settings
from models.standing import Standing
from planner.deciding import decide_all, finish_shards
from planner.fence.copied import Say
from planner.planning import Planned, moved
from planner.timely import Clock, Solved, Timing, timely
from rebalancer.flows.cheapest import load
from rebalancer.problems.ownership.domains import staying
from rebalancer.problems.ownership.sizes import Bounds, Sizes, merged, retired, split
from rebalancer.problems.ownership.solve import WishedRows, own
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.unmoved import unmoved


@dataclass(frozen=True, slots=True)
class Wishes:
    """What ownership is to become, beside like shares.

    Attributes
    ----------
    decommission
        Labels, key and value: the machines that carry one leave the fleet.
    retire
        Shards that are to go.
    merge
        Whether small shards are to join one another.
    """

    decommission: tuple[tuple[str, str], ...] = ()
    retire: tuple[str, ...] = ()
    merge: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Owned:
    """A plan of ownership, and the fleet it speaks of: that of the file and the new shards."""

    fleet: Fleet
    planned: Planned


def own_fleet(
    fleet: Fleet,
    settings: Settings,
    wishes: Wishes,
    clock: Clock = time.monotonic,
) -> Owned:
    """Cycle every shard with an empty memory, then share out the domains that are still free.

    Raises
    ------
    InputFault
        When a wish names a shard or a label that the fleet does not have.
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    begun = clock()
    _check(fleet, wishes)
    decided, standing = decide_all(fleet, settings)
    without = _carrying(fleet, wishes.decommission)
    sizes = _resized(standing, without, settings, wishes)
    added = sorted(sizes.machines.keys() - {shard.name for shard in fleet.shards})
    if added:
        fleet = with_shards(fleet, added)
        decided, standing = decide_all(fleet, settings)
    cycles_seconds = clock() - begun
    answer = _owned(standing, _asked(fleet, sizes, added, without), settings, clock)
    cycles = finish_shards(fleet, settings, decided, moved(fleet, answer.plan))
    return Owned(fleet, Planned(answer.plan, answer.complaint, cycles, standing, cycles_seconds))


def _owned(standing: Standing, asked: WishedRows, settings: Settings, clock: Clock) -> Solved:
    """Share out by the deadline; where there is no time for it, everybody keeps what it has."""
    started = clock()
    # Once, and not in every copy.
    load()
    rules, goals = rules_from(settings), goals_from(settings)
    limits = limits_from(settings, clock)

    def judge(plan: Plan) -> Sequence[Violation]:
        return audit_ownership(standing, plan, settings, asked.cooling, asked.without)

    def work(say: Say) -> None:
        plan = own(standing, asked, rules, goals, limits)
        require(judge(plan))
        say(plan)

    def spare() -> Plan:
        return unmoved(standing, rules, goals, limits, {})

    timing = Timing(started + settings.rebalance.deadline, clock)
    answer = timely(work, spare, judge, timing)
    return Solved(replace(answer.plan, seconds=clock() - started), answer.complaint)


def with_shards(fleet: Fleet, names: Sequence[str]) -> Fleet:
    """Give the fleet with shards more, which own nothing."""
    shards = sorted((*fleet.shards, *(Shard(name, ()) for name in names)), key=lambda s: s.name)
    place = {shard.name: row for row, shard in enumerate(shards)}
    rows = np.array([place[shard.name] for shard in fleet.shards], dtype=np.int32)
    machines = replace(fleet.machines, shard=rows[fleet.machines.shard])
    return replace(fleet, shards=tuple(shards), machines=machines)


def _check(fleet: Fleet, wishes: Wishes) -> None:
    known = {shard.name for shard in fleet.shards}
    faults = [
        Fault("--retire", f"{name!r} is no shard of this fleet.")
        for name in wishes.retire
        if name not in known
    ]
    faults += [
        Fault(
            "--decommission",
            f"no machine carries {key}={value}; only labels that the topology "
            f"or a need names are known.",
        )
        for key, value in wishes.decommission
        if not np.any(_carrying(fleet, ((key, value),)))
    ]
    if faults:
        raise InputFault(faults)


def _carrying(fleet: Fleet, wanted: Sequence[tuple[str, str]]) -> Mask:
    """Mark the machines, ``(M,)``, that carry one of the labels."""
    mask = np.zeros(len(fleet.machines), dtype=np.bool_)
    for key, value in wanted:
        texts, codes = fleet.cell_label_codes(key)
        cells = np.array([text == value for text in texts], dtype=np.bool_)[codes]
        mask |= cells[fleet.machines.cell]
    return mask


def _resized(standing: Standing, without: Mask, settings: Settings, wishes: Wishes) -> Sizes:
    fleet, rebalance = standing.fleet, settings.rebalance
    bounds = Bounds(rebalance.max_clusters, rebalance.max_machines)
    shards = [shard.name for shard in fleet.shards]
    held = np.bincount(fleet.machines.shard[~without], minlength=len(shards))
    stays = staying(standing, np.zeros_like(without)) & ~without
    needs = standing.serves[standing.serves >= 0].tolist()
    needs += np.flatnonzero(standing.have + standing.waiting).tolist()
    clusters = fleet.need_cluster[np.array(needs, dtype=np.int64)].tolist()
    clusters += fleet.machines.cluster[fleet.machines.cluster >= 0].tolist()
    sizes = Sizes(
        machines=dict(zip(shards, held.tolist(), strict=True)),
        owner={fleet.clusters[c]: shard.name for shard in fleet.shards for c in shard.clusters},
        stuck=frozenset(shards[row] for row in fleet.machines.shard[stays].tolist()),
        bound=frozenset(fleet.clusters[row] for row in clusters),
    )
    sizes = split(retired(sizes, set(wishes.retire)), bounds)
    return merged(sizes, bounds) if wishes.merge else sizes


def _asked(fleet: Fleet, sizes: Sizes, added: Sequence[str], without: Mask) -> WishedRows:
    """Give the same by row numbers; on a file nothing was transferred a moment ago."""
    row = {shard.name: number for number, shard in enumerate(fleet.shards)}
    clusters = [
        ClusterMove(cluster, source, row[sizes.owner[fleet.clusters[cluster]]])
        for source, shard in enumerate(fleet.shards)
        for cluster in shard.clusters
    ]
    changes = [change for change in clusters if change.source != change.target]
    return WishedRows(
        closed=np.array([name not in sizes.machines for name in row], dtype=np.bool_),
        without=without,
        cooling=np.zeros_like(without),
        clusters=tuple(sorted(changes, key=lambda change: change.cluster)),
        added=tuple(row[name] for name in added),
        conflicts=sizes.conflicts,
    )
