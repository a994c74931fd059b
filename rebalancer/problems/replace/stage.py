"""The door: a plan for what is short in, the same plan with replacements out.

Shortfalls come first. What the plan or an order of the cycles takes is not free; neither is what
anybody could use who stays short or loses machines by the plan. Needs that lack something, and
those that the plan touches, do not climb.
"""

from collections.abc import Callable

import numpy as np

from models.fleet import Mask
from models.plan import Plan
from models.problem import Problem
from rebalancer.limits import Limits
from rebalancer.problems.replace.after import unproven, with_moves
from rebalancer.problems.replace.fresh import fresh_of
from rebalancer.problems.replace.gangs import candidates, choose
from rebalancer.problems.replace.market import Market, is_free_of_known_price, stalls_of
from rebalancer.problems.replace.moves import moves_of
from rebalancer.problems.replace.network import lay
from rebalancer.problems.replace.pairs import swaps_of
from rebalancer.problems.replace.places import Places
from rebalancer.problems.replace.rungs import Rungs
from rebalancer.problems.replace.running import running_of, settled
from rebalancer.rules.machines import MACHINE_RULES
from rebalancer.sites import sites_of
from rebalancer.snapshot import Snapshot
from rebalancer.transfer_rules import Climbing

ARCS_PER_SECOND = 200_000
"""A flow has no limit in time, so none is begun that may take too long."""

SHARE = 0.5
"""Of the time that is left: naming and judging what is found take some too."""


def climbed(snapshot: Snapshot, plan: Plan, limits: Limits) -> Plan:
    """Give the plan with all replacements that save money together; the same where there are none.

    ``limits.seconds`` is what is left of the time: where it does not do, nothing is replaced, and
    the plan is not called OPTIMAL.
    """
    climbing = snapshot.rules.climbing
    if climbing is None or Problem.PACKING not in snapshot.rules.problems:
        return plan
    started = limits.clock()

    def has_time(arcs: int) -> bool:
        if limits.seconds is None:
            return True
        left = SHARE * limits.seconds - (limits.clock() - started)
        return left > 0 and arcs / ARCS_PER_SECOND <= left

    if not has_time(0):
        return unproven(plan)
    market = _market(snapshot, plan, climbing)
    if market is None:
        return plan
    return _replaced(snapshot, plan, market, has_time)


def _replaced(
    snapshot: Snapshot, plan: Plan, market: Market, has_time: Callable[[int], bool]
) -> Plan:
    found, is_all = candidates(market)
    room = _room(snapshot, plan)
    laid = lay(market, room, found)
    arcs = len(laid.network.arcs)
    if not laid.exits and not laid.gangs:
        return plan
    chosen = choose(laid, lambda: has_time(arcs)) if has_time(arcs) else None
    if chosen is None:
        return unproven(plan)
    moves = moves_of(snapshot, market, plan, swaps_of(market, laid, chosen))
    more = with_moves(snapshot, plan, moves) if moves else plan
    return more if is_all and chosen.is_best else unproven(more)


def _room(snapshot: Snapshot, plan: Plan) -> int:
    """Give how many machines may be replaced: each moves two."""
    most = snapshot.rules.max_moves
    machines = len(snapshot.fleet.machines)
    if most is None:
        return machines
    return max(0, most - sum(len(move.machines) for move in plan.moves)) // 2


def _market(snapshot: Snapshot, plan: Plan, climbing: Climbing) -> Market | None:
    """Give what may be given up and what is free; None where there is nothing of one of them."""
    standing, fleet, rules = snapshot.standing, snapshot.fleet, snapshot.rules
    movable, left = _movable(snapshot), np.ones(len(fleet.machines), dtype=np.bool_)
    for move in plan.moves:
        left[list(move.machines)] = False
    rungs = Rungs(fleet, climbing.horizon_seconds)
    places = Places(snapshot.matching)
    running = running_of(standing, rungs, places, movable & left, settled(standing, plan))
    free = is_free_of_known_price(standing) & left
    if not len(running) or not free.any():
        return None
    climbers = np.unique(running.need).tolist()
    lacking = np.flatnonzero(_lacks(snapshot, plan)).tolist()
    sites = sites_of(snapshot.matching, [fleet.needs[need] for need in (*climbers, *lacking)])
    asked_for: Mask = np.logical_or.reduce(sites.serves[:, len(climbers) :], axis=1)
    spoken_for = asked_for[sites.kind[fleet.machines.cell]]
    fresh = fresh_of(standing, sites, free & movable & ~spoken_for)
    return Market(
        standing,
        rules,
        climbing.spot_max_share,
        snapshot.matching,
        sites,
        {need: column for column, need in enumerate(climbers)},
        running,
        fresh,
        rungs,
        places,
        stalls_of(standing, sites, free),
    )


def _movable(snapshot: Snapshot) -> Mask:
    """Mark the machines, ``(M,)``, that may move at all."""
    standing = snapshot.standing
    movable = np.ones(len(snapshot.fleet.machines), dtype=np.bool_)
    for mask in MACHINE_RULES.values():
        movable &= mask(standing)
    if snapshot.cooling is not None:
        movable &= ~snapshot.cooling
    return movable


def _lacks(snapshot: Snapshot, plan: Plan) -> Mask:
    """Mark the needs, ``(N,)``, that stay short, or will be because they give way."""
    lacks: Mask = np.zeros(len(snapshot.fleet.needs), dtype=np.bool_)
    lacks[[entry.need for entry in plan.unmet]] = True
    lacks[[entry.need for entry in plan.displaced]] = True
    return lacks
