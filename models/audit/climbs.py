"""Needs that climb back: as many new machines, before the old ones go, and for less money."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from models.audit.gangs import misplaced
from models.audit.laws import Law
from models.audit.names import machine_name, need_name
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.cost import NANOS_PER_USD, effective_cost_nanos
from models.distinct import places_of
from models.fleet import Ints, Reals
from models.machine import State
from models.plan import MoveKind
from models.rules import Rule

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, eq=False, slots=True)
class _Climb:
    """What one need gives up and gets.

    ``moves`` are those for it or from it, by place; the rest are rows of machines: what it ``held``
    before, and the ``old`` and ``new`` ones.
    """

    need: int
    moves: list[int]
    held: Ints
    old: Ints
    new: Ints

    @property
    def after(self) -> Ints:
        """Give the machines that the need has at last."""
        return np.concatenate([np.setdiff1d(self.held, self.old), self.new])


def climb_violations(transfers: Transfers) -> Iterator[Violation]:
    """Judge each need that gives up machines for itself, and the units it does so in."""
    if not transfers.climbs.any():
        return
    for climb in _climbs(transfers):
        where = need_name(transfers.fleet, climb.need)
        for message in (*_may(transfers, climb), *_whole(transfers, climb)):
            yield Violation(Law.CLIMB, where, message)
        yield from _mixture(transfers, climb)
        yield from _spot(transfers, climb)
    yield from _units(transfers)
    yield from _asked_for(transfers)


def _climbs(transfers: Transfers) -> Iterator[_Climb]:
    moves: dict[int, list[int]] = {need: [] for need in np.flatnonzero(transfers.climbs).tolist()}
    for at, move in enumerate(transfers.plan.moves):
        for need in {move.need, move.victim} & moves.keys():
            moves[need].append(at)
    rows = [np.array(move.machines, dtype=np.int64) for move in transfers.plan.moves]
    none = np.empty(0, dtype=np.int64)
    held = places_of(transfers.standing.serves)
    for need, places in moves.items():
        old = [rows[at] for at in places if _gives_up(transfers, at)]
        new = [rows[at] for at in places if _replaces(transfers, at)]
        rows_of = (np.concatenate([none, *some]) for some in (old, new))
        yield _Climb(need, places, held.get(need, none), *rows_of)


def _gives_up(transfers: Transfers, at: int) -> bool:
    move = transfers.plan.moves[at]
    return move.kind is MoveKind.DRAIN and move.victim == move.need


def _replaces(transfers: Transfers, at: int) -> bool:
    move = transfers.plan.moves[at]
    return move.kind is MoveKind.REPLACE and bool(transfers.climbs[move.need])


def _may(transfers: Transfers, climb: _Climb) -> Iterator[str]:
    """The settings allow it, the need lacks nothing, and nothing else happens to it."""
    standing, fleet, need = transfers.standing, transfers.fleet, climb.need
    if transfers.settings.rebalance.migrate != "on":
        yield "climbs, but rebalance.migrate is off"
    if standing.short[need] or standing.waiting[need]:
        yield "climbs, but lacks machines itself"
    for at in climb.moves:
        if not _gives_up(transfers, at) and not _replaces(transfers, at):
            yield f"climbs, but move {transfers.plan.moves[at].id} gives it or takes from it"
    kinds = fleet.machines.class_index[np.concatenate([climb.old, climb.new])]
    unknown = np.isnan(fleet.numbers.price_per_hour[kinds])
    if unknown.any():
        yield f"climbs, but the price of {np.count_nonzero(unknown)} machines is unknown"


def _whole(transfers: Transfers, climb: _Climb) -> Iterator[str]:
    """A gang in one unit, and with all its machines."""
    if not transfers.fleet.needs[climb.need].is_gang:
        return
    units = {transfers.plan.moves[at].unit for at in climb.moves}
    if len(units) > 1:
        yield f"is a gang in {len(units)} units"
    has = int(transfers.standing.have[climb.need])
    if has != len(climb.held) or not np.array_equal(np.sort(climb.old), climb.held):
        yield f"is a gang and gives up {len(climb.old)} of its {has} machines"


def _mixture(transfers: Transfers, climb: _Climb) -> Iterator[Violation]:
    """One domain for a gang, the floor kept, and every spread as it was."""
    fleet, asked = transfers.fleet, transfers.fleet.needs[climb.need]
    where, cell = need_name(fleet, climb.need), fleet.machines.cell
    if asked.same is not None:
        codes, names = transfers.suits.domains(asked.same)
        message = misplaced(codes[cell[climb.new]], codes[:0], names)
        if message:
            yield Violation(Rule.DOMAIN, where, message)
    risk = fleet.numbers.interruption_probability > 0
    kind = fleet.machines.class_index
    count = np.count_nonzero(risk[kind[climb.after]])
    if risk[kind[climb.new]].any() and count > max(asked.count - asked.floor, 0):
        yield Violation(Rule.FLOOR, where, f"{count} machines may be interrupted")
    for spread in asked.spread:
        value = transfers.suits.value_codes(spread.key)
        came, went = np.sort(value[cell[climb.new]]), np.sort(value[cell[climb.old]])
        if spread.is_hard and ((came < 0).any() or not np.array_equal(came, went)):
            message = f"the new machines stand elsewhere over {spread.key} than the old"
            yield Violation(Rule.SPREAD, where, message)


def _spot(transfers: Transfers, climb: _Climb) -> Iterator[Violation]:
    """No (class, zone) above its share of spot while there is another to choose."""
    fleet, machines = transfers.fleet, transfers.fleet.machines
    share = Fraction(repr(transfers.settings.assign.spot_max_share))
    most = ceil(share * fleet.needs[climb.need].count)
    got, held = (_boxes(transfers, rows) for rows in (climb.new, climb.after))
    for box in sorted(box for box in got if held[box] > most):
        others = np.flatnonzero(transfers.standing.free & transfers.suits.machines(climb.need))
        others = others[machines.shard[others] == fleet.shard_of_need(climb.need)]
        priced = ~np.isnan(fleet.numbers.price_per_hour)[machines.class_index[others]]
        others = np.setdiff1d(others[priced], transfers.row)
        if _boxes(transfers, others).keys() - {box}:
            message = f"{held[box]} spot machines of one class and zone, {most} are its share"
            yield Violation(Rule.SPOT_SHARE, need_name(fleet, climb.need), message)


def _boxes(transfers: Transfers, rows: Ints) -> Counter[tuple[int, int]]:
    """Count the spot machines among the rows by class and zone."""
    fleet, machines = transfers.fleet, transfers.fleet.machines
    spot = rows[fleet.numbers.is_spot[machines.class_index[rows]]]
    zone = fleet.zone_codes()[machines.cell[spot]]
    return Counter(zip(machines.class_index[spot].tolist(), zone.tolist(), strict=True))


def _units(transfers: Transfers) -> Iterator[Violation]:
    """In each unit one need, as many that come as go, they first, and money saved."""
    moves = transfers.plan.moves
    names = list(dict.fromkeys(move.unit for move in moves))
    number = {name: index for index, name in enumerate(names)}
    needs: list[set[int]] = [set() for _ in names]
    come, go, last, first = ([0] * len(names) for _ in range(4))
    climbing = set()
    for at, move in enumerate(moves):
        unit = number[move.unit]
        needs[unit].add(move.need)
        if _replaces(transfers, at):
            come[unit], last[unit] = come[unit] + len(move.machines), at
        if _gives_up(transfers, at):
            first[unit] = first[unit] if go[unit] else at
            go[unit] += len(move.machines)
        if _replaces(transfers, at) or _gives_up(transfers, at):
            climbing.add(unit)
    saved = _saved_usd(transfers, np.array([number[move.unit] for move in moves]), len(names))
    for unit in sorted(climbing):
        where = f"unit {names[unit]}"
        if len(needs[unit]) > 1:
            yield Violation(Law.CLIMB, where, f"serves {len(needs[unit])} needs")
        if come[unit] != go[unit]:
            yield Violation(Law.CLIMB, where, f"{come[unit]} machines come and {go[unit]} go")
        elif last[unit] > first[unit]:
            yield Violation(Law.CLIMB, where, "drains before the new machines are there")
        if not saved[unit] > 0:
            yield Violation(Law.CLIMB, where, f"saves {saved[unit]:.2f} USD")


def _saved_usd(transfers: Transfers, unit_of_move: Ints, units: int) -> Reals:
    """Give what each unit saves over the horizon, less its penalties and two starts, ``(U,)``."""
    fleet, row, need = transfers.fleet, transfers.row, transfers.need
    machines, kind = fleet.machines, fleet.machines.class_index[row]
    old = np.array([_gives_up(transfers, at) for at in range(len(transfers.plan.moves))])
    is_old, is_new = old[transfers.move], transfers.climbs[need] & ~transfers.gains
    is_new &= ~is_old
    created = machines.state[row] == State.SPECULATIVE
    price = fleet.numbers.price_per_hour[kind]
    # A fixed machine with a host is paid in any case.
    paid = np.where(created | fleet.numbers.is_elastic[kind], price, 0.0)
    once = np.array([asked.interruption_penalty for asked in fleet.needs])[need]
    each = np.array([asked.reclamation_penalty for asked in fleet.needs])[need]
    risk = fleet.numbers.interruption_probability[kind]
    hours = transfers.settings.rebalance.migrate_horizon / SECONDS_PER_HOUR
    cost = effective_cost_nanos(paid, risk, once) / NANOS_PER_USD * hours
    start = np.where(created, price * machines.ready_seconds[row] / SECONDS_PER_HOUR, 0.0)
    is_gang = np.array([asked.is_gang for asked in fleet.needs])[need]
    unit = unit_of_move[transfers.move]
    usd = np.where(is_old, cost - np.maximum(machines.reclamation_penalty[row], each), 0.0)
    usd -= np.where(is_old & ~is_gang, once, 0.0)
    usd -= np.where(is_new, cost + 2 * start, 0.0)
    saved = np.zeros(units)
    np.add.at(saved, unit, usd)
    broken, of_unit = np.unique(unit[is_old & is_gang], return_index=True)
    saved[broken] -= once[is_old & is_gang][of_unit]
    return saved


def _asked_for(transfers: Transfers) -> Iterator[Violation]:
    """Nobody who stays short, or who gives way, could use what comes."""
    new = transfers.row[transfers.climbs[transfers.need] & ~transfers.gains & ~transfers.given_up]
    cells = np.unique(transfers.fleet.machines.cell[new])
    lacks = (transfers.lacking > 0) | (transfers.lost > 0)
    for need in np.flatnonzero(lacks).tolist():
        useful = transfers.suits.matches(need) & transfers.suits.fits(need)
        if useful[cells].any():
            row = int(new[useful[transfers.fleet.machines.cell[new]]][0])
            message = f"replaces another though {need_name(transfers.fleet, need)} could use it"
            yield Violation(Law.CLIMB, machine_name(transfers.fleet, row), message)
