"""Shortfalls: what a cycle could not serve, each with the first reason that applies."""

from collections.abc import Callable, Mapping

import numpy as np

from hotpath.backoff import REASONS
from hotpath.memory import Memory, need_key
from hotpath.plain.ledger import Ledger
from hotpath.plain.rules.domain import in_domain
from hotpath.plain.rules.floor import above_floor
from hotpath.plain.spread import skew_of
from models.fleet import Mask
from models.machine import State
from models.shortfall import Reason, Shortfall


def shortfalls_of(
    ledger: Ledger, memory: Memory, walk: list[int], paused: Mapping[int, str]
) -> tuple[Shortfall, ...]:
    """Give one shortfall for each need that is short, in the order of the walk."""
    found = []
    for need in walk:
        short = ledger.needs[need].count - int(ledger.have[need])
        reason = _reason(ledger, need, short, paused) if short > 0 else None
        if short <= 0 and (late := _late(ledger, need)):
            short, reason = late, Reason.WAITING_FOR_CREATE
        if reason is not None:
            age = memory.short_cycles.get(need_key(ledger.needs[need]), 0) + 1
            found.append(Shortfall(need, short, reason, age))
    return tuple(found)


def _late(ledger: Ledger, need: int) -> int:
    """Give the machines on their way, when the oldest is past half its timeout; else 0."""
    columns, timeouts = ledger.inventory.machines, ledger.settings.timeouts
    own = ledger.roll.of(need)
    own = own[(ledger.serves[own] == need) & ledger.held[own]]
    state, waited = columns.state[own], ledger.now - columns.state_since[own]
    coming = {State.CREATING: timeouts.creating, State.CONFIGURING: timeouts.configuring}
    late = any(np.any((state == s) & (waited > limit / 2)) for s, limit in coming.items())
    return int(np.isin(state, list(coming)).sum()) if late else 0


def _reason(ledger: Ledger, need: int, short: int, paused: Mapping[int, str]) -> Reason:
    if int(ledger.waiting[need]) >= short:
        return Reason.WAITING_FOR_DRAIN
    eligible = ledger.eligible(need)
    tests: tuple[tuple[Reason, Callable[[], bool]], ...] = (
        (Reason.NO_MATCHING_MACHINE, lambda: not eligible.any()),
        (Reason.TOPOLOGY_UNSATISFIABLE, lambda: _no_domain(ledger, need, eligible)),
        (Reason.SPREAD_UNSATISFIABLE, lambda: _only_skew_forbids(ledger, need, eligible)),
        (Reason.PRICE_UNKNOWN, lambda: _unpriced(ledger, eligible)),
        *((reason, _paused_by(kind, eligible, paused)) for kind, reason in REASONS.items()),
    )
    return next((reason for reason, applies in tests if applies()), Reason.CAPACITY_EXHAUSTED)


def _no_domain(ledger: Ledger, need: int, eligible: Mask) -> bool:
    """Tell whether no domain could hold the gang were all its matching machines free."""
    if not ledger.needs[need].is_gang:
        return False
    return not (eligible & in_domain(ledger, need)).any()


def _only_skew_forbids(ledger: Ledger, need: int, eligible: Mask) -> bool:
    """Tell whether a matching machine, free for the need, is where the skew forbids one more."""
    if not any(spread.is_hard for spread in ledger.needs[need].spread):
        return False
    skew = skew_of(ledger, need)
    free = eligible & above_floor(ledger, need)
    free &= ledger.idle_for(need) | ledger.speculative_for(need)
    cells = np.unique(ledger.inventory.machines.cell[free])
    return any(not skew.allows(skew.place(c)) for c in cells)


def _unpriced(ledger: Ledger, eligible: Mask) -> bool:
    speculative = ledger.inventory.has_state(State.SPECULATIVE)
    return bool(np.any(eligible & speculative & np.isnan(ledger.inventory.price_per_hour)))


def _paused_by(kind: str, eligible: Mask, paused: Mapping[int, str]) -> Callable[[], bool]:
    return lambda: any(eligible[place] for place, held in paused.items() if held == kind)
