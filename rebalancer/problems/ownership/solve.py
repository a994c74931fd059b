"""Ownership: a fleet as it stands in, a plan of who is to own what out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hotpath.matching import Matching
from models.fleet import Fleet, Ints, Mask
from models.outcome import Outcome
from models.plan import ClusterMove, Plan
from models.rules import Goal
from models.standing import Standing
from rebalancer.digest import digest_of, settings_digest
from rebalancer.levels import levels_of, unmet_of
from rebalancer.limits import Limits
from rebalancer.problems.ownership.balance import balanced, is_level
from rebalancer.problems.ownership.dealing import holdings_of, owners_after
from rebalancer.problems.ownership.domains import Domains, domains_of
from rebalancer.problems.ownership.gangs import LargestGang, gangs_of, left_without
from rebalancer.problems.ownership.goals import goals_of
from rebalancer.problems.ownership.naming import Handover, moves_of, moving, owner_of_machines
from rebalancer.problems.ownership.reserve import reserved
from rebalancer.problems.ownership.tree import chained
from rebalancer.transfer_rules import TransferRules


@dataclass(frozen=True, eq=False, slots=True)
class WishedRows:
    """What ownership is to become, beside like shares.

    Attributes
    ----------
    closed
        Shape ``(S,)``. Shards that are to be left with nothing.
    without
        Shape ``(M,)``. Machines that leave the fleet: they count nowhere and are not moved.
    cooling
        Shape ``(M,)``. Machines that were transferred a moment ago.
    clusters
        Clusters that change their shard.
    added
        Shards that are new, for the plan to say.
    conflicts
        What was found impossible before, in sentences.
    """

    closed: Mask
    without: Mask
    cooling: Mask
    clusters: tuple[ClusterMove, ...] = ()
    added: tuple[int, ...] = ()
    conflicts: tuple[str, ...] = ()


def own(
    standing: Standing,
    asked: WishedRows,
    rules: TransferRules,
    goals: Mapping[Goal, float],
    limits: Limits,
) -> Plan:
    """Give every open shard a like share of every class, in whole domains, with least movement.

    Returns
    -------
    Plan
        OPTIMAL when shares and movement are proven the best (see ``balance``); FEASIBLE when
        domains were set aside for gangs first, which the proof does not cover; INFEASIBLE, with
        the rules in conflict and no moves, when a closed shard has something that must stay, a
        shard would be left without a domain for its largest gang, or more would move than allowed.
    """
    started = limits.clock()
    fleet = standing.fleet
    unchanged = np.zeros(len(fleet.needs), dtype=np.int64)
    domains = domains_of(standing, asked.cooling, asked.without)
    matching = Matching(fleet, rules.bootstrap_keys)
    gangs = gangs_of(matching, _shards_of_clusters(fleet, asked.clusters), asked.without)
    found = _found(fleet, domains, asked, gangs, rules)
    owner = fleet.machines.shard.astype(np.int64)
    if found.change is not None:
        owner = owner_of_machines(fleet, domains, found.change.owner)
    plan = Plan(
        snapshot=digest_of(standing, rules, asked.cooling),
        settings=settings_digest(rules, goals, limits),
        seed=limits.seed,
        outcome=found.outcome,
        levels=levels_of(standing, unchanged, {}),
        moves=(),
        unmet=unmet_of(standing, unchanged),
        displaced=(),
        goals=goals_of(fleet, asked.closed, asked.without, goals, owner),
        conflicts=found.conflicts,
        seconds=0.0,
    )
    if found.change is not None:
        plan = replace(
            plan,
            moves=moves_of(fleet, domains, found.change, rules.window_seconds),
            clusters=asked.clusters,
            added=asked.added,
            closed=tuple(np.flatnonzero(asked.closed).tolist()),
        )
    return replace(plan, seconds=limits.clock() - started)


@dataclass(frozen=True, eq=False, slots=True)
class _Found:
    outcome: Outcome
    change: Handover | None = None
    conflicts: tuple[str, ...] = ()


def _found(
    fleet: Fleet,
    domains: Domains,
    asked: WishedRows,
    gangs: Sequence[LargestGang],
    rules: TransferRules,
) -> _Found:
    conflicts = (*asked.conflicts, *_stuck(fleet, domains, asked))
    if conflicts:
        return _Found(Outcome.INFEASIBLE, conflicts=conflicts)
    change, proven = _shared_out(domains, ~asked.closed, {})
    outcome = Outcome.OPTIMAL if proven else Outcome.FEASIBLE
    if _without(fleet, domains, change, gangs):
        aside = reserved(domains, gangs, int(np.count_nonzero(~asked.closed)))
        told = _told(fleet, gangs if aside is None else _without(fleet, domains, change, gangs))
        if aside is None:
            return _Found(Outcome.INFEASIBLE, conflicts=told)
        change, _ = _shared_out(domains, ~asked.closed, aside)
        outcome = Outcome.FEASIBLE
        if _without(fleet, domains, change, gangs) or not _is_level(domains, asked, change):
            return _Found(Outcome.INFEASIBLE, conflicts=told)
    moved = int(np.count_nonzero(moving(fleet, domains, change.owner)))
    if rules.max_moves is not None and moved > rules.max_moves:
        told = (
            f"Like shares take {moved} machines to other shards, and a plan may move "
            f"{rules.max_moves}.",
        )
        return _Found(Outcome.INFEASIBLE, conflicts=told)
    return _Found(outcome, change)


def _stuck(fleet: Fleet, domains: Domains, asked: WishedRows) -> tuple[str, ...]:
    """Name one machine of each closed shard that must stay."""
    shard = fleet.machines.shard
    held = domains.stays & ~asked.without & asked.closed[shard]
    rows = np.flatnonzero(held)
    _, first = np.unique(shard[rows], return_index=True)
    return tuple(
        f"{fleet.shards[shard[row]].name} is to be left with nothing, but machine "
        f"{fleet.machines.ids[row]} must stay: it is in use, reserved, in transition or pinned."
        for row in rows[first].tolist()
    )


def _shared_out(domains: Domains, open: Mask, aside: Mapping[int, int]) -> tuple[Handover, bool]:
    """Balance around the domains set aside; tell whether that is proven the best."""
    home, movable = domains.home.copy(), domains.movable.copy()
    home[list(aside)] = list(aside.values())
    movable[list(aside)] = False
    groups = len(domains.kind)
    # What lies in a closed shard is movable, all of it; else it would have been refused.
    holdings = holdings_of(domains.group, home, movable, groups, open)
    answer = balanced(holdings, chained(domains.kind, domains.size))
    owner = owners_after(domains.group, home, movable, answer.after)
    before = holdings_of(domains.group, domains.home, movable, groups, np.ones_like(open)).have
    return Handover(owner, before, holdings.fixed + answer.after), answer.proven


def _is_level(domains: Domains, asked: WishedRows, change: Handover) -> bool:
    groups = len(domains.kind)
    holdings = holdings_of(
        domains.group, domains.home, domains.movable, groups, np.ones_like(asked.closed)
    )
    fixed = replace(holdings, open=~asked.closed)
    tree = chained(domains.kind, domains.size)
    return is_level(fixed, tree, change.after - fixed.fixed)


def _without(
    fleet: Fleet, domains: Domains, change: Handover, gangs: Sequence[LargestGang]
) -> list[LargestGang]:
    owner = owner_of_machines(fleet, domains, change.owner)
    return left_without(gangs, owner, len(fleet.shards))


def _told(fleet: Fleet, gangs: Sequence[LargestGang]) -> tuple[str, ...]:
    rules = [
        f"{fleet.shards[gang.shard].name} must keep a domain of {fleet.needs[gang.need].same} that "
        f"holds its largest gang, {fleet.needs[gang.need].name} of {gang.count} machines."
        for gang in gangs
    ]
    return (*rules, "Every shard holds a like share of each class within one domain.",
            "Domains are owned whole.")  # fmt: skip


def _shards_of_clusters(fleet: Fleet, moves: Sequence[ClusterMove]) -> Ints:
    """Give the shard of each cluster once they have moved, ``(clusters,)``; -1 for none."""
    owner = np.full(len(fleet.clusters), -1, dtype=np.int64)
    for row, shard in enumerate(fleet.shards):
        owner[list(shard.clusters)] = row
    for move in moves:
        owner[move.cluster] = move.target
    return owner
