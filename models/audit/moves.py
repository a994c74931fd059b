"""Moves, one by one: form, kind, route, suitability, and who gives way."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from models.audit.laws import Law
from models.audit.names import is_active, machine_name, need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.machine import State
from models.plan import Move, MoveKind
from models.rules import Rule

_WITHIN = (MoveKind.DRAIN, MoveKind.REPLACE)
"""Kinds that stay in one shard."""

_ACROSS = (MoveKind.DRAIN_AND_TRANSFER,)
"""Kinds that go to another one. What is free may do either: inside, it is kept for a gang."""


def move_violations(transfers: Transfers) -> Iterator[Violation]:
    """Judge each move and the machines it names."""
    for row, count in Counter(transfers.row.tolist()).items():
        if count > 1:
            name = machine_name(transfers.fleet, row)
            yield Violation(Law.MOVE_SHAPE, name, f"moved {count} times")
    for name, count in Counter(move.id for move in transfers.plan.moves).items():
        if count > 1:
            yield Violation(Law.MOVE_SHAPE, f"move {name}", f"{count} moves of this id")
    for move in transfers.plan.moves:
        yield from _form(transfers, move)
        yield from _route(transfers, move)
        yield from _suitable(transfers, move)
        for row in move.machines:
            yield from _kind(transfers, move, row)
            yield from _untouched(transfers, row)
        yield from _gives_way(transfers, move)


def _form(transfers: Transfers, move: Move) -> Iterator[Violation]:
    rows = np.array(move.machines, dtype=np.int64)
    where = f"move {move.id}"
    if not rows.size or np.any(transfers.fleet.machines.class_index[rows] != move.machine_class):
        message = f"{rows.size} machines, not all of class {move.machine_class}"
        yield Violation(Law.MOVE_SHAPE, where, message)
    if move.window < 0:
        yield Violation(Law.MOVE_SHAPE, where, f"window {move.window}")


def _route(transfers: Transfers, move: Move) -> Iterator[Violation]:
    fleet, where = transfers.fleet, f"move {move.id}"
    owners = np.unique(fleet.machines.shard[list(move.machines)]).tolist()
    if owners not in ([], [move.source]):
        message = f"from shard {move.source}, but its machines are of {owners}"
        yield Violation(Law.MOVE_ROUTE, where, message)
    home = fleet.shard_of_need(move.need)
    if move.target != home:
        message = f"to shard {move.target}, but {need_name(fleet, move.need)} is of {home}"
        yield Violation(Law.MOVE_ROUTE, where, message)
    stays = move.source == move.target
    if move.kind in (_ACROSS if stays else _WITHIN) or (
        stays and move.kind not in _WITHIN and not fleet.needs[move.need].is_gang
    ):
        message = f"{move.kind} from shard {move.source} to shard {move.target}"
        yield Violation(Law.MOVE_ROUTE, where, message)
    if not is_active(fleet, int(fleet.need_cluster[move.need])):
        message = f"for {need_name(fleet, move.need)} of a silent or shadow cluster"
        yield Violation(Rule.UNTOUCHED, where, message)


def _suitable(transfers: Transfers, move: Move) -> Iterator[Violation]:
    fleet, where = transfers.fleet, f"move {move.id}"
    cells = fleet.machines.cell[list(move.machines)]
    if not np.all(transfers.suits.matches(move.need)[cells]):
        message = f"does not match {need_name(fleet, move.need)}"
        yield Violation(Rule.MATCHES, where, message)
    if not np.all(transfers.suits.fits(move.need)[cells]):
        yield Violation(Rule.FITS, where, f"too small for {need_name(fleet, move.need)}")
    prices = fleet.numbers.price_per_hour[fleet.machines.class_index[list(move.machines)]]
    states = fleet.machines.state[list(move.machines)]
    if np.any(np.isnan(prices) & (states == State.SPECULATIVE)):
        yield Violation(Rule.PRICE_KNOWN, where, "buys at a price that is unknown")
    settings = transfers.settings
    if fleet.needs[move.need].priority >= settings.shortfalls.tier1:
        slow = fleet.machines.ready_seconds[list(move.machines)] > settings.assign.max_wait
        if np.any(slow & (states == State.SPECULATIVE)):
            yield Violation(Rule.AVAILABLE, where, "a slot that tier 1 would wait for too long")


def _kind(transfers: Transfers, move: Move, row: int) -> Iterator[Violation]:
    """Free machines are idle or speculative, drained ones are excess or victims, as moved."""
    standing, machines = transfers.standing, transfers.fleet.machines
    state, free = State(machines.state[row]), bool(standing.free[row])
    drainable = state is State.CONFIGURED and bool(standing.excess[row] or standing.victim[row])
    match move.kind:
        case MoveKind.TRANSFER_IDLE:
            fitting = state is State.IDLE and free
        case MoveKind.TRANSFER_SPECULATIVE:
            fitting = state is State.SPECULATIVE and free
        case MoveKind.DRAIN_AND_TRANSFER | MoveKind.DRAIN:
            fitting = drainable
        case MoveKind.REPLACE:
            fitting = state in (State.IDLE, State.SPECULATIVE) and free
    name = machine_name(transfers.fleet, row)
    if not fitting:
        yield Violation(Law.MOVE_KIND, name, f"{move.kind}, but it is {state.name} or not free")
    if not np.isnan(machines.reclaim_at[row]):
        yield Violation(Rule.AVAILABLE, name, "moved though it is about to be reclaimed")
    loser = int(standing.serves[row]) if drainable else -1
    if move.victim != loser:
        message = f"victim is need number {move.victim}, expected {loser}"
        yield Violation(Law.VICTIM, name, message)


def _untouched(transfers: Transfers, row: int) -> Iterator[Violation]:
    fleet = transfers.fleet
    name = machine_name(fleet, row)
    if fleet.machines.pinned[row]:
        yield Violation(Rule.UNTOUCHED, name, "moved though it is pinned")
    cluster = int(fleet.machines.cluster[row])
    if cluster >= 0 and not is_active(fleet, cluster):
        message = f"taken from {fleet.clusters[cluster]}, which is silent or shadow"
        yield Violation(Rule.UNTOUCHED, name, message)


def _gives_way(transfers: Transfers, move: Move) -> Iterator[Violation]:
    """A victim is strictly lower, and across shards lower by the least gap; or it moves."""
    if move.victim < 0 or transfers.moves[move.victim]:
        return
    gap = int(transfers.priority[move.need] - transfers.priority[move.victim])
    least = transfers.settings.rebalance.min_gap if move.source != move.target else 1
    if gap < max(least, 1):
        message = f"a gap in priority of {gap}, at least {max(least, 1)} is asked"
        yield Violation(Rule.PRIORITY, f"move {move.id}", message)
