"""Moves, one by one: form, kind, route, suitability, and who gives way."""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from models.audit.laws import Law
from models.audit.names import is_active, machine_name, need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.distinct import alike
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
    needs = {move.need for move in transfers.plan.moves}
    homes = {need: transfers.fleet.shard_of_need(need) for need in needs}
    for move in transfers.plan.moves:
        yield from _route(transfers, move, homes)
        yield from _gives_way(transfers, move)
    yield from _forms(transfers)
    yield from _suitable(transfers)
    yield from _kinds(transfers)
    yield from _untouched(transfers)


def _forms(transfers: Transfers) -> Iterator[Violation]:
    moves, machines, row = transfers.plan.moves, transfers.fleet.machines, transfers.row
    said = np.array([move.machine_class for move in moves], dtype=np.int64)
    other = machines.class_index[row] != said[transfers.move]
    empty = [at for at, move in enumerate(moves) if not move.machines]
    for at in sorted({*empty, *transfers.move[other].tolist()}):
        message = f"{len(moves[at].machines)} machines, not all of class {moves[at].machine_class}"
        yield Violation(Law.MOVE_SHAPE, f"move {moves[at].id}", message)
    for move in moves:
        if move.window < 0:
            yield Violation(Law.MOVE_SHAPE, f"move {move.id}", f"window {move.window}")
    owner = machines.shard[row]
    for at in np.unique(transfers.move[owner != transfers.source]).tolist():
        owners = np.unique(owner[transfers.move == at]).tolist()
        message = f"from shard {moves[at].source}, but its machines are of {owners}"
        yield Violation(Law.MOVE_ROUTE, f"move {moves[at].id}", message)


def _route(transfers: Transfers, move: Move, homes: Mapping[int, int]) -> Iterator[Violation]:
    """Where a move goes; ``homes`` is the shard of each need."""
    fleet, where = transfers.fleet, f"move {move.id}"
    home = homes[move.need]
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


def _suitable(transfers: Transfers) -> Iterator[Violation]:
    """Every machine matches and fits the need, is bought at a known price and ready in time."""
    fleet, row, settings = transfers.fleet, transfers.row, transfers.settings
    cell, new = fleet.machines.cell[row], fleet.machines.state[row] == State.SPECULATIVE
    matching, fitting = np.ones((2, len(row)), dtype=np.bool_)
    for entries in alike([transfers.need], len(row)):
        need = int(transfers.need[entries[0]])
        matching[entries] = transfers.suits.matches(need)[cell[entries]]
        fitting[entries] = transfers.suits.fits(need)[cell[entries]]
    unpriced = new & np.isnan(fleet.numbers.price_per_hour[fleet.machines.class_index[row]])
    slow = new & (fleet.machines.ready_seconds[row] > settings.assign.max_wait)
    slow &= transfers.priority[transfers.need] >= settings.shortfalls.tier1
    for rule, broken, message in (
        (Rule.MATCHES, ~matching, "does not match {}"),
        (Rule.FITS, ~fitting, "too small for {}"),
        (Rule.PRICE_KNOWN, unpriced, "buys at a price that is unknown"),
        (Rule.AVAILABLE, slow, "a slot that tier 1 would wait for too long"),
    ):
        for at in np.unique(transfers.move[broken]).tolist():
            move = transfers.plan.moves[at]
            said = message.format(need_name(fleet, move.need))
            yield Violation(rule, f"move {move.id}", said)


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
    """A victim is strictly lower, and across shards by the least gap; or it moves or climbs."""
    if move.victim < 0 or transfers.moves[move.victim] or move.victim == move.need:
        return
    gap = int(transfers.priority[move.need] - transfers.priority[move.victim])
    least = transfers.settings.rebalance.min_gap if move.source != move.target else 1
    if gap < max(least, 1):
        message = f"a gap in priority of {gap}, at least {max(least, 1)} is asked"
        yield Violation(Rule.PRIORITY, f"move {move.id}", message)
