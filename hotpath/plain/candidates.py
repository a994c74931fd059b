"""Candidates of a need: the free machines that could serve it, in lots that are alike to it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotpath.plain.ledger import Ledger
from hotpath.plain.spread import Skew
from hotpath.plain.stock import RESERVED, Piles
from models.cost import SATURATED_COST
from models.fleet import Ints, Mask
from models.need import Need

_UNSETTLED = np.zeros(0, dtype=np.int64)


@dataclass(eq=False, slots=True)
class Lots:
    """Machines that differ only in their names, as far as one need can tell.

    Columns of shape ``(L,)``, in the fixed part of the order in which lots are taken.

    Attributes
    ----------
    pile
        Which of ``piles`` each comes from.
    machines
        What is left of each ``settled`` lot, by id.
    left
        How many that are; of a lot that is not settled at the most.
    is_reserved
        Reserved for a strictly lower need: goes after everything idle that is not.
    flags
        Equal where what comes before the cost in the order is equal.
    rank
        Place in the order; equal where only the id of the next machine decides.
    cost_nanos
        Effective cost for the need, USD/h.
    place
        Which of ``places``: for each spread constraint of the need a domain, -1 for none.
    """

    ledger: Ledger
    need: int
    piles: Piles
    pile: Ints
    machines: list[Ints]
    left: Ints
    settled: Mask
    class_index: Ints
    zone: Ints
    is_speculative: Mask
    is_reserved: Mask
    is_spot: Mask
    is_risky: Mask
    flags: Ints
    rank: Ints
    cost_nanos: Ints
    place: Ints
    places: list[tuple[int, ...]]

    def settle(self, lots: Sequence[int] | Ints) -> None:
        """Leave out of lots what the need cannot have, or no longer."""
        for lot in lots:
            if not self.settled[lot]:
                books = self.ledger
                free = self.piles.prune(int(self.pile[lot]), books.idle, books.speculative)
                self.machines[lot] = free[books.may_have(self.need, free)]
                self.left[lot] = len(self.machines[lot])
                self.settled[lot] = True

    def next_id(self, lot: int) -> int:
        """Give the place, among all ids, of the machine that is next in a settled lot."""
        return int(self.ledger.inventory.machines.id_rank[self.machines[lot][0]])

    def take(self, lot: int, amount: int) -> Ints:
        """Take machines off a settled lot."""
        taken = self.machines[lot][:amount]
        self.machines[lot] = self.machines[lot][amount:]
        self.left[lot] -= amount
        return taken


def lots_of(ledger: Ledger, need: int, skew: Skew, among: Mask | None = None) -> Lots:
    """Give the free machines that may serve the need, idle and speculative, in lots.

    ``among``, shape of the cells, restricts them further (to a gang's domain).
    """
    if among is None:
        keys = tuple(constraint.key for constraint in skew.constraints)
        piles = ledger.stock.piles(keys, skew.domain_of_cell)
    else:
        cells = among & ledger.matching.eligible(ledger.needs[need])
        piles = ledger.stock.at(np.flatnonzero(cells)).piles(skew.domain_of_cell)
    return _lots(ledger, need, piles)


def _lots(ledger: Ledger, need: int, piles: Piles) -> Lots:
    """Put the piles that the need can use into its order."""
    asked, numbers = ledger.needs[need], ledger.inventory.fleet.numbers
    usable = ledger.matching.classes(asked)[piles.class_index] & (piles.left > 0)
    if asked.priority >= ledger.settings.shortfalls.tier1:
        # Tier 1 does not wait for what is long in coming.
        usable &= ~(piles.is_speculative & (piles.code > 0))
    at = np.flatnonzero(usable)
    spec, k = piles.is_speculative[at], piles.class_index[at].astype(np.int64)
    reserved = piles.claim[at] == RESERVED
    cost = ledger.matching.costs(asked)[k]
    price, p = numbers.price_per_hour[k], numbers.interruption_probability[k]
    saturated = cost == SATURATED_COST
    flags = (
        waste(ledger, asked)[k],
        np.where(spec, piles.code[at], np.isnan(price)),
        np.where(spec, 0, piles.code[at]),
    )
    # Saturated costs cannot be told apart: they compare by p, then by price.
    rest = (
        cost,
        np.where(saturated, p, 0.0),
        np.where(saturated, price, 0.0),
        np.where(spec, p, 0.0),
        piles.zone[at],
        k,
    )
    order, rank = _ranked((spec, reserved, *flags, *rest))
    places, place = np.unique(piles.domains[at], axis=0, return_inverse=True)
    return Lots(
        ledger=ledger,
        need=need,
        piles=piles,
        pile=at[order],
        machines=[_UNSETTLED] * len(order),
        left=piles.left[at][order],
        settled=np.zeros(len(order), dtype=np.bool_),
        class_index=k[order],
        zone=piles.zone[at][order].astype(np.int64),
        is_speculative=spec[order],
        is_reserved=reserved[order],
        is_spot=numbers.is_spot[k][order],
        is_risky=(p > 0)[order],
        flags=_ranked(flags, keep=order)[1],
        rank=rank,
        cost_nanos=cost[order],
        place=place.reshape(-1)[order].astype(np.int64),
        places=[tuple(row) for row in places.tolist()],
    )


def _ranked(columns: Sequence[NDArray[np.generic]], keep: Ints | None = None) -> tuple[Ints, Ints]:
    """Give the order of the rows and, along it, numbers that are equal where the rows are."""
    order = np.lexsort(tuple(reversed(columns))).astype(np.int64)
    differs = np.zeros(len(order), dtype=np.int64)
    for column in columns:
        ordered = column[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    rank = np.cumsum(differs)
    if keep is None:
        return order, rank
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = rank
    return keep, numbers[keep]


def waste(ledger: Ledger, asked: Need) -> Ints:
    """Give 1 for each class with a scarce resource that the need never asked for, ``(K,)``."""
    fleet = ledger.inventory.fleet
    spared = [
        fleet.resources.index(name)
        for name in ledger.settings.assign.scarce
        if name in fleet.resources and not asked.resources.get(name, 0)
    ]
    wasteful: Mask = np.any(fleet.numbers.resources[:, spared] > 0, axis=1)
    return wasteful.astype(np.int64)
