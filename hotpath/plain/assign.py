"""Phase 1: serve a need from idle machines, then from the cheapest speculative ones."""

from dataclasses import dataclass

import numpy as np

from hotpath.plain.candidates import lots_of
from hotpath.plain.ledger import Ledger
from hotpath.plain.order import give_back_order
from hotpath.plain.pick import Picked, pick
from hotpath.plain.purse import Purse, purse_of
from hotpath.plain.rules.domain import gang_cells, gang_domains
from hotpath.plain.rules.floor import above_floor
from hotpath.plain.spread import skew_of
from models.cost import NANOS_PER_USD, UNKNOWN_COST
from models.fleet import Codes, Ints, Mask
from models.machine import State


def assign(ledger: Ledger, need: int) -> None:
    """Order what the need can have now: part of it, or for a gang all of it or nothing."""
    members = ledger.members(need)
    is_ready = ledger.held[members] & (ledger.inventory.machines.state[members] == State.IDLE)
    ledger.configure_reserved(need, members[is_ready])
    _step_in(ledger, need)
    missing = ledger.missing(need)
    if not missing:
        return
    if ledger.needs[need].is_gang:
        _assign_gang(ledger, need, missing)
    else:
        purse = purse_of(ledger, need, skew_of(ledger, need))
        order(ledger, need, choose(ledger, need, missing, purse))


def _step_in(ledger: Ledger, need: int) -> None:
    """Let its cluster's own excess make good what a higher need took of its reservations."""
    missing = ledger.missing(need)
    if missing:
        spares = spares_of(ledger, need)
        ledger.adopt(need, spares[len(spares) - min(missing, len(spares)) :])


def spares_of(ledger: Ledger, need: int) -> Ints:
    """Give the excess machines of the need's cluster that could serve it as they are.

    In the order in which they would be given back. For a gang, those in the domain that pins it.
    """
    inventory, asked = ledger.inventory, ledger.needs[need]
    own = ledger.excess_of(int(inventory.fleet.need_cluster[need]))
    if not len(own):
        return own
    own = own[ledger.matching.as_configured(asked)[inventory.machines.cell[own]]]
    if asked.is_gang:
        pinned = gang_domains(ledger, need)[own] >= 0
        own = own[pinned & bool(ledger.have[need])]
    return give_back_order(inventory, own, asked.reclamation_penalty)


def choose(
    ledger: Ledger, need: int, wanted: int, purse: Purse, cells: Mask | None = None
) -> list[Picked]:
    """Pick up to ``wanted`` free machines without ordering anything; the purse counts them in.

    ``cells``, shape ``(C,)``, restricts them to a gang's domain.
    """
    return pick(lots_of(ledger, need, purse.skew, cells), wanted, purse)


def order(ledger: Ledger, need: int, picked: list[Picked]) -> None:
    """Order what was picked, and say why it came first."""
    for part in picked:
        ledger.assign(need, part.machines, _reason(part))


def _reason(part: Picked) -> str:
    source = "speculative" if part.is_speculative else "idle"
    if part.cost_nanos == UNKNOWN_COST:
        return f"{source}, at an unknown price"
    return f"{source}, at an effective {part.cost_nanos / NANOS_PER_USD:.6g} USD/h"


@dataclass(frozen=True, slots=True)
class _Room:
    """What a gang would take of one domain; ``key`` is (needs Create, left over, cost, name)."""

    key: tuple[bool, int, int, int]
    picked: list[Picked]


def _assign_gang(ledger: Ledger, need: int, missing: int) -> None:
    """Put what the gang is missing into the first domain that holds all of it.

    Domains go by (needs any Create, free machines it could use left over, cost, name). Counting
    tells the first two at their best; what a domain really gives, floor and spread kept, is picked
    only where the counts do not rule it out already.
    """
    cells = gang_cells(ledger, need)
    domain = cells[ledger.inventory.machines.cell]
    fits = ledger.eligible(need) & above_floor(ledger, need) & (domain >= 0)
    idle = _per_domain(domain, fits & ledger.idle_for(need))
    free = idle + _per_domain(domain, fits & ledger.speculative_for(need))
    hopes = sorted(
        (bool(idle[d] < missing), int(free[d]) - missing, int(d))
        for d in np.flatnonzero(free >= missing)
    )
    best: _Room | None = None
    for needs_create, left_over, code in hopes:
        if best is not None and best.key[:2] < (needs_create, left_over):
            break
        room = _room(ledger, need, missing, cells == code, (left_over, code))
        if room is not None and (best is None or room.key < best.key):
            best = room
    if best is not None:
        order(ledger, need, best.picked)


def _per_domain(domain: Codes, mask: Mask) -> Ints:
    width = int(domain.max(initial=-1)) + 1
    return np.bincount(domain[mask], minlength=width)


def _room(
    ledger: Ledger, need: int, missing: int, cells: Mask, place: tuple[int, int]
) -> _Room | None:
    """Pick the whole gang in one domain; None where it does not fit."""
    purse = purse_of(ledger, need, skew_of(ledger, need))
    picked = choose(ledger, need, missing, purse, cells)
    if sum(len(part.machines) for part in picked) < missing:
        return None
    cost = sum(len(part.machines) * part.cost_nanos for part in picked)
    left_over, code = place
    return _Room((any(part.is_speculative for part in picked), left_over, cost, code), picked)
