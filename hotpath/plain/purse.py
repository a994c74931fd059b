"""What limits a need's next pick: skew, floor, and its share of spot in one place."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from hotpath.plain.ledger import ClassZone, Ledger
from hotpath.plain.rules.floor import risky_left
from hotpath.plain.spread import Skew
from models.fleet import Ints


@dataclass(eq=False, slots=True)
class Purse:
    """The limits of one need; they change with each machine it takes.

    Attributes
    ----------
    risky_left
        Machines with p > 0 that it may still take, so that its floor can be met.
    spot_cap
        Spot machines of the need that one (class, zone) should hold at the most.
    spot_taken
        Spot machines that it took in each (class, zone) since the purse was opened.
    """

    ledger: Ledger
    need: int
    skew: Skew
    risky_left: int
    spot_cap: int
    spot_taken: Counter[ClassZone]

    def take(self, domains: tuple[int, ...], machines: Ints) -> None:
        """Count machines in, which are alike in class and in their spread domains."""
        fleet, columns = self.ledger.inventory.fleet, self.ledger.inventory.machines
        k = columns.class_index[machines[0]]
        self.skew.add(domains, len(machines))
        self.risky_left -= len(machines) * int(fleet.numbers.interruption_probability[k] > 0)
        if fleet.numbers.is_spot[k]:
            self.spot_taken.update(self.ledger.class_zones(machines))

    def spot_of_need(self) -> Counter[ClassZone]:
        """Give the spot machines that the need has in each (class, zone)."""
        held = self.ledger.members(self.need)
        held = held[self.ledger.held[held]]
        return self.ledger.spot_places(held) + self.spot_taken

    def spot_of_cluster(self) -> Counter[ClassZone]:
        """Give the spot machines that the need's cluster has in each (class, zone)."""
        cluster = int(self.ledger.inventory.fleet.need_cluster[self.need])
        return self.ledger.spot_of_cluster(cluster) + self.spot_taken


def purse_of(ledger: Ledger, need: int, skew: Skew) -> Purse:
    """Give the limits as the need stands now."""
    # As the decimal it was written as: 0.07 of 100 is 7, though the float product is above it.
    share = Fraction(repr(ledger.settings.assign.spot_max_share))
    return Purse(
        ledger=ledger,
        need=need,
        skew=skew,
        risky_left=risky_left(ledger, need),
        spot_cap=ceil(share * ledger.needs[need].count),
        spot_taken=Counter(),
    )
