"""Receivers: no more than they lack, gangs whole and together, spreads and floors kept."""

from collections.abc import Iterator, Mapping

import numpy as np

from models.audit.gangs import misplaced
from models.audit.laws import Law
from models.audit.mixture import Holding, holding_violations
from models.audit.names import need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.distinct import alike
from models.fleet import Ints
from models.plan import MoveKind
from models.rules import Rule


def receiver_violations(transfers: Transfers) -> Iterator[Violation]:
    """Judge what each need gets."""
    fleet, short = transfers.fleet, transfers.standing.short
    in_unit: dict[str, set[int]] = {}
    for move in transfers.plan.moves:
        if move.kind is not MoveKind.REPLACE:
            in_unit.setdefault(move.unit, set()).add(move.need)
    arriving = np.flatnonzero(transfers.gains)
    for place in alike([transfers.need[arriving]], len(arriving)):
        entries = arriving[place]
        need = int(transfers.need[entries[0]])
        if transfers.gained[need] > short[need]:
            message = f"gets {transfers.gained[need]}, short of {short[need]}"
            yield Violation(Law.COUNT, need_name(fleet, need), message)
        if fleet.needs[need].is_gang:
            yield from _unit(transfers, need, entries, in_unit)
            yield from _whole(transfers, need, entries)
        yield from _mixture(transfers, need, entries)


def _unit(
    transfers: Transfers, need: int, entries: Ints, in_unit: Mapping[str, set[int]]
) -> Iterator[Violation]:
    """All it gets is one unit of its own, from one shard; ``in_unit`` are the needs of each."""
    moves, where = transfers.plan.moves, need_name(transfers.fleet, need)
    units = {moves[move].unit for move in transfers.move[entries]}
    if len(units) > 1:
        yield Violation(Law.UNIT, where, f"in {len(units)} units: {', '.join(sorted(units))}")
    for unit in sorted(unit for unit in units if in_unit[unit] - {need}):
        yield Violation(Law.UNIT, where, f"unit {unit} serves another need as well")
    sources = np.unique(transfers.source[entries])
    if len(sources) > 1:
        yield Violation(Law.UNIT, where, f"from {len(sources)} shards")


def _whole(transfers: Transfers, need: int, entries: Ints) -> Iterator[Violation]:
    """All it is missing arrives, in the domain that it holds if it holds one."""
    fleet, standing = transfers.fleet, transfers.standing
    where, same = need_name(fleet, need), fleet.needs[need].same
    codes, names = transfers.suits.domains(same or "")
    cell = fleet.machines.cell
    got = codes[cell[transfers.row[entries]]]
    message = misplaced(got, codes[cell[standing.serves == need]], names)
    if message:
        yield Violation(Rule.DOMAIN, where, message)
        return
    if transfers.gained[need] < standing.short[need]:
        message = f"gets {transfers.gained[need]} of the {standing.short[need]} it is missing"
        yield Violation(Law.WHOLE_GANG, where, message)


def _mixture(transfers: Transfers, need: int, entries: Ints) -> Iterator[Violation]:
    """The domains are those of the receiving shard once the moves are done."""
    if not transfers.fleet.needs[need].spread and not transfers.fleet.needs[need].floor:
        return
    shard = transfers.fleet.shard_of_need(need)
    got = transfers.machines(entries)
    arriving = transfers.machines(transfers.gains & (transfers.target == shard))
    leaving = transfers.machines(transfers.gains & (transfers.target != shard))
    before = transfers.standing.serves == need
    taken = transfers.machines(transfers.gains & (transfers.victim == need))
    universe = (transfers.fleet.machines.shard == shard) & ~leaving | arriving
    holding = Holding(need, got, (before & ~taken) | got, before | got, universe)
    yield from holding_violations(transfers.suits, holding)
