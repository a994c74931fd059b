"""Pick machines for a need from its lots, one rule after the other, cheapest first."""

from dataclasses import dataclass

import numpy as np

from hotpath.plain.candidates import Lots
from hotpath.plain.market import Market
from hotpath.plain.purse import Purse
from models.fleet import Ints, Mask


@dataclass(frozen=True, slots=True)
class Picked:
    """Machines of one lot, in the order in which they were picked; the cost is each one's."""

    machines: Ints
    is_speculative: bool
    cost_nanos: int


def pick(lots: Lots, wanted: int, purse: Purse) -> list[Picked]:
    """Take up to ``wanted`` machines out of the lots; both the lots and the purse change.

    Idle before speculative, unreserved before reserved; then, where the need is spread, the
    emptiest domain; then each lot's rank, then the id. Speculative spot lots go by ``Market``
    among themselves.
    """
    picked: list[Picked] = []
    market: Market | None = None
    while wanted > 0:
        crowding = _crowding(lots, purse)
        allowed = _allowed(lots, purse, crowding)
        lot, alone = _head(lots, allowed, crowding)
        if lot is None:
            break
        if lots.is_speculative[lot] and (allowed & lots.is_speculative & lots.is_spot).any():
            market = market or Market.of(lots, purse)
            allowed = market.within_share(allowed & (lots.left > 0))
            lot, alone = _head(lots, allowed, crowding)
            if lot is None:
                break
        if lots.is_speculative[lot] and lots.is_spot[lot] and market is not None:
            alike = [full == crowding[lots.place[lot]] for full in crowding]
            takes = market.next(lot, allowed & np.array(alike)[lots.place], wanted)
        else:
            takes = [(lot, _amount(lots, lot, wanted, purse) if alone else 1)]
            if lots.is_spot[lot]:
                # Idle spot machines count too, and are not the market's.
                market = None
        for at, amount in takes:
            machines = lots.take(at, amount)
            purse.take(lots.places[lots.place[at]], machines)
            picked.append(Picked(machines, bool(lots.is_speculative[at]), int(lots.cost_nanos[at])))
            wanted -= amount
    return picked


Crowding = list[tuple[float, ...] | None]
"""For each of the lots' places how full it is; None where one more is not allowed."""


def _crowding(lots: Lots, purse: Purse) -> Crowding:
    if not purse.skew.constraints:
        return [()] * len(lots.places)
    return [
        purse.skew.crowding(place) if purse.skew.allows(place) else None for place in lots.places
    ]


def _allowed(lots: Lots, purse: Purse, crowding: Crowding) -> Mask:
    allowed = lots.left > 0
    if purse.skew.constraints and len(lots.places):
        is_open = np.array([full is not None for full in crowding], dtype=np.bool_)
        allowed &= is_open[lots.place]
    if purse.risky_left <= 0:
        allowed &= ~lots.is_risky
    return allowed


def _head(lots: Lots, allowed: Mask, crowding: Crowding) -> tuple[int | None, bool]:
    """Give the lot that is next, and whether no other ties with it but for the next id."""
    best: tuple[tuple[object, ...], int, bool] | None = None
    for place in range(len(lots.places)):
        there = allowed & (lots.place == place) if len(lots.places) > 1 else allowed.copy()
        first, alone = _first(lots, there)
        if first is None:
            continue
        key = (
            bool(lots.is_speculative[first]),
            bool(lots.is_reserved[first]),
            crowding[place],
            int(lots.rank[first]),
            lots.next_id(first),
        )
        if best is None or key < best[0]:
            best = (key, first, alone)
    return (None, True) if best is None else best[1:]


def _first(lots: Lots, there: Mask) -> tuple[int | None, bool]:
    """Give the first lot of one place that is not empty once it is settled."""
    while there.any():
        first = int(there.argmax())
        ties = np.flatnonzero(there & (lots.rank == lots.rank[first]))
        lots.settle(ties)
        ties = ties[lots.left[ties] > 0]
        if len(ties):
            return min((int(lot) for lot in ties), key=lots.next_id), len(ties) == 1
        there &= lots.left > 0
    return None, True


def _amount(lots: Lots, lot: int, wanted: int, purse: Purse) -> int:
    """Give how many machines may be taken at once without asking again."""
    if purse.skew.constraints:
        return 1
    amount = min(wanted, int(lots.left[lot]))
    return min(amount, purse.risky_left) if lots.is_risky[lot] else amount
