"""Gangs that move: whole, within their shard, for one gang that takes all they had."""

from collections.abc import Iterator

import numpy as np

from models.audit.gangs import misplaced
from models.audit.laws import Law
from models.audit.mixture import Holding, holding_violations
from models.audit.names import need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.fleet import Mask
from models.plan import MoveKind
from models.rules import Rule


def migration_violations(transfers: Transfers) -> Iterator[Violation]:
    """Judge each need for which replacements are named."""
    for need in np.flatnonzero(transfers.moves).tolist():
        where = need_name(transfers.fleet, need)
        arriving = ~transfers.gains & (transfers.need == need)
        leaving = transfers.victim == need
        for message in (*_may(transfers, need), *_ways(transfers, need, arriving, leaving)):
            yield Violation(Law.MIGRATION, where, message)
        higher = transfers.priority[transfers.need[leaving]] < transfers.priority[need]
        if np.any(higher):
            yield Violation(Rule.PRIORITY, where, "moves for a need that is lower")
        yield from _place(transfers, need, arriving)


def _may(transfers: Transfers, need: int) -> Iterator[str]:
    """It is a gang that lacks nothing, and the settings let it move."""
    standing = transfers.standing
    if transfers.settings.rebalance.migrate != "on":
        yield "moves, but rebalance.migrate is off"
    if not transfers.fleet.needs[need].is_gang:
        yield "moves, but is no gang"
    if standing.short[need]:
        yield "moves, but is not whole"


def _ways(transfers: Transfers, need: int, arriving: Mask, leaving: Mask) -> Iterator[str]:
    """As many come as are given up, all of them, to one gang, in one unit, and after they came."""
    plan = transfers.plan
    held = np.flatnonzero(transfers.standing.serves == need)
    given_up = np.sort(transfers.row[leaving])
    if not np.array_equal(given_up, held):
        yield f"gives up {len(given_up)} machines of {len(held)}"
    if np.count_nonzero(arriving) != len(held):
        yield f"gets {np.count_nonzero(arriving)} machines for {len(held)}"
    moves = np.unique(transfers.move[arriving | leaving]).tolist()
    units = {plan.moves[move].unit for move in moves}
    if len(units) > 1:
        yield f"in {len(units)} units: {', '.join(sorted(units))}"
    heirs = np.unique(transfers.need[leaving]).tolist()
    if len(heirs) > 1 or not all(transfers.fleet.needs[heir].is_gang for heir in heirs):
        yield f"makes room for {len(heirs)} needs, not for one gang"
    if any(plan.moves[move].kind is not MoveKind.DRAIN for move in transfers.move[leaving]):
        yield "gives up machines to another shard"
    if transfers.move[arriving].max() > transfers.move[leaving].min(initial=len(plan.moves)):
        yield "is drained before it has its new machines"


def _place(transfers: Transfers, need: int, arriving: Mask) -> Iterator[Violation]:
    """One domain, and mixed as it should be."""
    fleet, same = transfers.fleet, transfers.fleet.needs[need].same
    got = transfers.machines(arriving)
    if same is not None:
        codes, names = fleet.cell_domains(same)
        domain = codes[fleet.machines.cell[transfers.row[arriving]]]
        message = misplaced(domain, domain[:0], names)
        if message:
            yield Violation(Rule.DOMAIN, need_name(fleet, need), message)
    away = transfers.machines(transfers.source != transfers.target)
    arrived = transfers.machines(transfers.gains & (transfers.source != transfers.target))
    home = fleet.shard_of_need(need)
    at_home = (fleet.machines.shard == home) & ~away
    at_home |= arrived & transfers.machines(transfers.target == home)
    yield from holding_violations(transfers.suits, Holding(need, got, got, got, at_home))
