"""Candidates of a need: the free machines that could serve it, in lots that are alike to it."""

from dataclasses import dataclass, replace

import numpy as np

from hotpath.ledger import Ledger
from hotpath.spread import Skew
from models.cost import SATURATED_COST, effective_cost_nanos
from models.distinct import alike
from models.fleet import Ints, Mask
from models.machine import NOBODY

_DECADES = np.array([0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5])
"""Upper ends of the classes of reclamation penalty: 0, to 1, to 10, ... to 100,000, more."""


@dataclass(eq=False, slots=True)
class Lot:
    """Machines that differ only in their names, as far as one need can tell.

    Attributes
    ----------
    machines
        What is left of the lot, by id.
    rank
        The fixed part of the order in which lots are taken; lower first, the next machine's id
        decides among equals.
    flags
        The part of ``rank`` before the cost.
    cost_nanos
        Effective cost for the need, USD/h.
    is_reserved
        Reserved for a strictly lower need: goes after everything idle that is not.
    domains
        For each spread constraint of the need the domain it is in, -1 for none.
    """

    machines: Ints
    class_index: int
    zone: int
    is_speculative: bool
    is_spot: bool
    is_risky: bool
    flags: tuple[int, ...]
    cost_nanos: int
    rank: tuple[float, ...]
    domains: tuple[int, ...]
    is_reserved: bool = False


def lots_of(ledger: Ledger, need: int, skew: Skew, among: Mask | None = None) -> list[Lot]:
    """Give the free machines that may serve the need, idle and speculative, in lots.

    ``among``, shape ``(m,)``, restricts them further (to a gang's domain).
    """
    fits = ledger.eligible(need)
    if among is not None:
        fits &= among
    idle = np.flatnonzero(fits & ledger.idle_for(need))
    speculative = np.flatnonzero(fits & ledger.speculative_for(need))
    costs = _costs(ledger, need)
    return [
        *_idle_lots(ledger, need, idle, skew, costs),
        *_speculative_lots(ledger, need, speculative, skew, costs),
    ]


def _costs(ledger: Ledger, need: int) -> Ints:
    numbers = ledger.inventory.fleet.numbers
    return effective_cost_nanos(
        numbers.price_per_hour,
        numbers.interruption_probability,
        ledger.needs[need].interruption_penalty,
    )


def _idle_lots(ledger: Ledger, need: int, machines: Ints, skew: Skew, costs: Ints) -> list[Lot]:
    """Order: unreserved first, then no waste, known price, penalty's decade, cost, class."""
    columns = ledger.inventory.machines
    reserved = (ledger.serves[machines] != NOBODY).astype(np.int64)
    decade = np.searchsorted(_DECADES, columns.reclamation_penalty[machines])
    lots = []
    for places in _places(ledger, machines, skew, (reserved, decade)):
        rows, at = machines[places], places[0]
        k = int(columns.class_index[rows[0]])
        unknown = int(np.isnan(ledger.inventory.fleet.numbers.price_per_hour[k]))
        flags = (_waste(ledger, need, k), unknown, int(decade[at]))
        lot = _lot(ledger, rows, skew, flags, int(costs[k]))
        lots.append(replace(lot, is_reserved=bool(reserved[at])))
    return lots


def _speculative_lots(
    ledger: Ledger, need: int, machines: Ints, skew: Skew, costs: Ints
) -> list[Lot]:
    """Order: no waste, ready in time, cost, p, zone, class."""
    columns, settings = ledger.inventory.machines, ledger.settings
    slow = (columns.ready_seconds[machines] > settings.assign.max_wait).astype(np.int64)
    lots = []
    for places in _places(ledger, machines, skew, (slow,)):
        rows, at = machines[places], places[0]
        k = int(columns.class_index[rows[0]])
        flags = (_waste(ledger, need, k), int(slow[at]))
        lots.append(_lot(ledger, rows, skew, flags, int(costs[k]), is_speculative=True))
    return lots


def _places(ledger: Ledger, machines: Ints, skew: Skew, codes: tuple[Ints, ...]) -> list[Ints]:
    """Group places in ``machines`` by class, zone, spread domains and the given codes."""
    columns = ledger.inventory.machines
    cell = columns.cell[machines]
    domains = (domain[cell] for domain in skew.domain_of_cell)
    zone = ledger.matching.zones[cell]
    return alike((columns.class_index[machines], zone, *domains, *codes), len(machines))


def _lot(
    ledger: Ledger,
    machines: Ints,
    skew: Skew,
    flags: tuple[int, ...],
    cost: int,
    *,
    is_speculative: bool = False,
) -> Lot:
    fleet, columns = ledger.inventory.fleet, ledger.inventory.machines
    cell, k = int(columns.cell[machines[0]]), int(columns.class_index[machines[0]])
    p = float(fleet.numbers.interruption_probability[k])
    zone = int(ledger.matching.zones[cell])
    # Saturated costs cannot be told apart: they compare by p, then by price.
    saturated = (
        (p, float(fleet.numbers.price_per_hour[k])) if cost == SATURATED_COST else (0.0, 0.0)
    )
    tail = (p, zone, k) if is_speculative else (k,)
    return Lot(
        machines=machines,
        class_index=k,
        zone=zone,
        is_speculative=is_speculative,
        is_spot=bool(fleet.numbers.is_spot[k]),
        is_risky=p > 0,
        flags=flags,
        cost_nanos=cost,
        rank=(*flags, cost, *saturated, *tail),
        domains=skew.place(cell),
    )


def _waste(ledger: Ledger, need: int, class_index: int) -> int:
    """Give 1 where a machine of the class has a scarce resource that the need never asked for."""
    fleet, asked = ledger.inventory.fleet, ledger.needs[need].resources
    for name in ledger.settings.assign.scarce:
        if name in fleet.resources and not asked.get(name, 0):
            amount = fleet.numbers.resources[class_index, fleet.resources.index(name)]
            if amount > 0:
                return 1
    return 0
