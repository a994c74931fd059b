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
        yield from _gives_way(transfers, move)
    yield from _kinds(transfers)
    yield from _untouched(transfers)


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


def _kinds(transfers: Transfers) -> Iterator[Violation]:
    """Free machines are idle or speculative, drained ones are excess or victims, as moved."""
    standing, machines, row = transfers.standing, transfers.fleet.machines, transfers.row
    state, free = machines.state[row], standing.free[row]
    drainable = (state == State.CONFIGURED) & (standing.excess | standing.victim)[row]
    idle, slot = free & (state == State.IDLE), free & (state == State.SPECULATIVE)
    fitting = {
        MoveKind.TRANSFER_IDLE: idle,
        MoveKind.TRANSFER_SPECULATIVE: slot,
        MoveKind.DRAIN_AND_TRANSFER: drainable,
        MoveKind.DRAIN: drainable,
        MoveKind.REPLACE: idle | slot,
    }
    kinds = [move.kind for move in transfers.plan.moves]
    for kind in dict.fromkeys(kinds):
        of_kind = np.array([other is kind for other in kinds], dtype=np.bool_)[transfers.move]
        for entry in np.flatnonzero(of_kind & ~fitting[kind]).tolist():
            message = f"{kind}, but it is {State(state[entry]).name} or not free"
            yield Violation(Law.MOVE_KIND, machine_name(transfers.fleet, row[entry]), message)
    for entry in np.flatnonzero(~np.isnan(machines.reclaim_at[row])).tolist():
        message = "moved though it is about to be reclaimed"
        yield Violation(Rule.AVAILABLE, machine_name(transfers.fleet, row[entry]), message)
    loser = np.where(drainable, standing.serves[row], -1)
    for entry in np.flatnonzero(transfers.victim != loser).tolist():
        message = f"victim is need number {transfers.victim[entry]}, expected {loser[entry]}"
        yield Violation(Law.VICTIM, machine_name(transfers.fleet, row[entry]), message)


def _untouched(transfers: Transfers) -> Iterator[Violation]:
    fleet, row = transfers.fleet, transfers.row
    for entry in np.flatnonzero(fleet.machines.pinned[row]).tolist():
        name = machine_name(fleet, row[entry])
        yield Violation(Rule.UNTOUCHED, name, "moved though it is pinned")
    quiet = np.array([not is_active(fleet, at) for at in range(len(fleet.clusters))] + [False])
    cluster = fleet.machines.cluster[row]
    for entry in np.flatnonzero(quiet[cluster]).tolist():
        message = f"taken from {fleet.clusters[cluster[entry]]}, which is silent or shadow"
        yield Violation(Rule.UNTOUCHED, machine_name(fleet, row[entry]), message)


def _gives_way(transfers: Transfers, move: Move) -> Iterator[Violation]:
    """A victim is strictly lower, and across shards lower by the least gap; or it moves."""
    if move.victim < 0 or transfers.moves[move.victim]:
        return
    gap = int(transfers.priority[move.need] - transfers.priority[move.victim])
    least = transfers.settings.rebalance.min_gap if move.source != move.target else 1
    if gap < max(least, 1):
        message = f"a gap in priority of {gap}, at least {max(least, 1)} is asked"
        yield Violation(Rule.PRIORITY, f"move {move.id}", message)
