"""Pick machines for a need from its lots, one rule after the other, cheapest first."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf

import numpy as np

from hotpath.candidates import Lot
from hotpath.inventory import cluster_of_need
from hotpath.ledger import Ledger
from hotpath.rules.floor import risky_left
from hotpath.spread import Skew
from models.fleet import Ints

ClassZone = tuple[int, int]

Crowding = dict[tuple[int, ...], tuple[float, ...]]
"""For each place (a domain for each spread constraint) that allows one more, how full it is."""


@dataclass(eq=False, slots=True)
class Purse:
    """What limits a need's next pick; changes with each machine it takes.

    Attributes
    ----------
    risky_left
        Machines with p > 0 that it may still take, so that its floor can be met.
    spot_cap
        Spot machines of the need that one (class, zone) should hold at the most.
    spot_of_need, spot_of_cluster
        Spot machines that the need, and its cluster, have in each (class, zone).
    """

    skew: Skew
    risky_left: int
    spot_cap: int
    spot_of_need: Counter[ClassZone]
    spot_of_cluster: Counter[ClassZone]

    def take(self, lot: Lot, machines: int) -> None:
        """Count machines of a lot in."""
        self.skew.add(lot.domains, machines)
        self.risky_left -= machines * lot.is_risky
        if lot.is_spot:
            self.spot_of_need[lot.class_index, lot.zone] += machines
            self.spot_of_cluster[lot.class_index, lot.zone] += machines


def purse_of(ledger: Ledger, need: int, skew: Skew) -> Purse:
    """Give the limits as the need stands now."""
    asked = ledger.needs[need]
    numbers, columns = ledger.inventory.fleet.numbers, ledger.inventory.machines
    own = ledger.members(need)
    spot = numbers.is_spot[columns.class_index] & ledger.held
    cluster = ledger.inventory.fleet.need_cluster[need]
    of_cluster = spot & (cluster_of_need(ledger.inventory.fleet, ledger.serves) == cluster)
    return Purse(
        skew=skew,
        risky_left=risky_left(ledger, need),
        # As the decimal it was written as: 0.07 of 100 is 7, though the float product is above it.
        spot_cap=ceil(Fraction(repr(ledger.settings.assign.spot_max_share)) * asked.count),
        spot_of_need=_count(ledger, np.flatnonzero(spot & own)),
        spot_of_cluster=_count(ledger, np.flatnonzero(of_cluster)),
    )


def _count(ledger: Ledger, machines: Ints) -> Counter[ClassZone]:
    columns = ledger.inventory.machines
    zones = ledger.matching.zones[columns.cell[machines]]
    return Counter(zip(columns.class_index[machines].tolist(), zones.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Picked:
    """Machines of one lot, in the order in which they were picked."""

    lot: Lot
    machines: Ints


def pick(ledger: Ledger, lots: list[Lot], wanted: int, purse: Purse) -> list[Picked]:
    """Take up to ``wanted`` machines out of the lots; both the lots and the purse change.

    Idle before speculative, unreserved before reserved; then, where the need is spread, the
    emptiest domain; then each lot's rank, then the id. Spot lots go by ``_diverse`` among
    themselves.
    """
    picked: list[Picked] = []
    places = {lot.domains for lot in lots}
    while wanted > 0:
        # Lots share few places: 1.8 s instead of 2.8 s (medians of three) for 20,000 machines and
        # 150 needs, ten of them spread.
        crowding = {at: purse.skew.crowding(at) for at in places if purse.skew.allows(at)}
        allowed = [
            lot
            for lot in lots
            if len(lot.machines)
            and lot.domains in crowding
            and (purse.risky_left > 0 or not lot.is_risky)
        ]
        allowed = [lot for lot in allowed if not _over_share(lot, allowed, purse)]
        if not allowed:
            break
        lot = min(allowed, key=lambda lot: _key(ledger, lot, crowding))
        if lot.is_speculative and lot.is_spot:
            lot = _diverse(ledger, lot, allowed, crowding, purse)
        amount = _amount(ledger, lot, lots, wanted, purse)
        picked.append(Picked(lot, lot.machines[:amount]))
        lot.machines = lot.machines[amount:]
        purse.take(lot, amount)
        wanted -= amount
    return picked


def _key(ledger: Ledger, lot: Lot, crowding: Crowding) -> tuple[float, ...]:
    next_id = int(ledger.inventory.machines.id_rank[lot.machines[0]])
    return (
        lot.is_speculative,
        lot.is_reserved,
        *crowding[lot.domains],
        *lot.rank,
        next_id,
    )


def _over_share(lot: Lot, allowed: list[Lot], purse: Purse) -> bool:
    """Tell whether a spot (class, zone) has its share while another could be taken instead.

    The other must be cheaper than the cheapest candidate that is not spot, and below its own share.
    """
    if not (lot.is_speculative and lot.is_spot) or _room(lot, purse) > 0:
        return False
    bought = [other for other in allowed if other.is_speculative]
    ceiling = min((other.cost_nanos for other in bought if not other.is_spot), default=inf)
    return any(
        other.is_spot
        and (other.class_index, other.zone) != (lot.class_index, lot.zone)
        and other.cost_nanos < ceiling
        and _room(other, purse) > 0
        for other in bought
    )


def _room(lot: Lot, purse: Purse) -> int:
    return purse.spot_cap - purse.spot_of_need[lot.class_index, lot.zone]


def _diverse(
    ledger: Ledger, head: Lot, allowed: list[Lot], crowding: Crowding, purse: Purse
) -> Lot:
    """Among spot lots within the price tolerance, prefer where the cluster has the fewest."""
    spot = [
        lot
        for lot in allowed
        if lot.is_speculative
        and lot.is_spot
        and lot.flags == head.flags
        and crowding[lot.domains] == crowding[head.domains]
    ]
    limit = min(lot.cost_nanos for lot in spot) * (1 + ledger.settings.assign.price_tolerance)
    return min(
        (lot for lot in spot if lot.cost_nanos <= limit),
        key=lambda lot: (
            purse.spot_of_cluster[lot.class_index, lot.zone],
            *_key(ledger, lot, crowding),
        ),
    )


def _amount(ledger: Ledger, lot: Lot, lots: list[Lot], wanted: int, purse: Purse) -> int:
    """Give how many machines may be taken at once without asking again."""
    if purse.skew.constraints:
        return 1
    amount = min(wanted, len(lot.machines))
    if lot.is_risky:
        amount = min(amount, purse.risky_left)
    if lot.is_speculative and lot.is_spot:
        others = any(
            other is not lot and other.is_speculative and other.is_spot and len(other.machines)
            for other in lots
        )
        return 1 if others else amount
    return amount
