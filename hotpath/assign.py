"""Phase 1: serve a need from idle machines, then from the cheapest speculative ones."""

import numpy as np

from hotpath.candidates import lots_of
from hotpath.ledger import Ledger
from hotpath.pick import Picked, Purse, pick, purse_of
from hotpath.rules.domain import gang_domains
from hotpath.spread import skew_of
from models.cost import NANOS_PER_USD, UNKNOWN_COST
from models.fleet import Codes, Ints, Mask
from models.machine import State


def assign(ledger: Ledger, need: int) -> None:
    """Order what the need can have now: part of it, or for a gang all of it or nothing."""
    reserved = (ledger.serves == need) & ledger.held & ledger.inventory.has_state(State.IDLE)
    ledger.configure_reserved(need, np.flatnonzero(reserved))
    missing = ledger.missing(need)
    if not missing:
        return
    if ledger.needs[need].is_gang:
        _assign_gang(ledger, need, missing)
    else:
        purse = purse_of(ledger, need, skew_of(ledger, need))
        order(ledger, need, choose(ledger, need, missing, purse))


def choose(
    ledger: Ledger, need: int, wanted: int, purse: Purse, among: Mask | None = None
) -> list[Picked]:
    """Pick up to ``wanted`` free machines without ordering anything; the purse counts them in."""
    return pick(ledger, lots_of(ledger, need, purse.skew, among), wanted, purse)


def order(ledger: Ledger, need: int, picked: list[Picked]) -> None:
    """Order what was picked, and say why it came first."""
    for part in picked:
        ledger.assign(need, part.machines, _reason(part))


def _reason(part: Picked) -> str:
    source = "speculative" if part.lot.is_speculative else "idle"
    if part.lot.cost_nanos == UNKNOWN_COST:
        return f"{source}, at an unknown price"
    return f"{source}, at an effective {part.lot.cost_nanos / NANOS_PER_USD:.6g} USD/h"


def _assign_gang(ledger: Ledger, need: int, missing: int) -> None:
    """Put what the gang is missing into the first domain that holds all of it.

    Domains go by (needs any Create, matching free machines left over, cost, name); the cost is
    worked out only among domains that tie before it.
    """
    domain = gang_domains(ledger, need)
    fits = ledger.eligible(need) & (domain >= 0)
    idle = _per_domain(domain, fits & ledger.idle_for(need))
    free = idle + _per_domain(domain, fits & ledger.speculative)
    rooms = sorted(
        (
            (bool(idle[d] < missing), int(free[d]) - missing)
            for d in np.flatnonzero(free >= missing)
        ),
    )
    for needs_create, left_over in dict.fromkeys(rooms):
        alike = [
            int(d)
            for d in np.flatnonzero(free - missing == left_over)
            if bool(idle[d] < missing) == needs_create
        ]
        best = _cheapest(ledger, need, missing, domain, alike)
        if best is not None:
            order(ledger, need, best)
            return


def _per_domain(domain: Codes, mask: Mask) -> Ints:
    width = int(domain.max(initial=-1)) + 1
    return np.bincount(domain[mask], minlength=width)


def _cheapest(
    ledger: Ledger, need: int, missing: int, domain: Codes, alike: list[int]
) -> list[Picked] | None:
    """Give the cheapest whole pick over the named domains; ties go to the first name."""
    best: tuple[int, list[Picked]] | None = None
    for code in alike:
        purse = purse_of(ledger, need, skew_of(ledger, need))
        picked = choose(ledger, need, missing, purse, domain == code)
        if sum(len(part.machines) for part in picked) < missing:
            continue
        cost = sum(len(part.machines) * part.lot.cost_nanos for part in picked)
        if best is None or cost < best[0]:
            best = (cost, picked)
    return best[1] if best else None
