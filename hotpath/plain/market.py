"""The spot market of a need: alike prices go where the cluster has fewest, none over a share."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hotpath.plain.candidates import Lots
from hotpath.plain.ledger import ClassZone
from hotpath.plain.purse import Purse
from models.fleet import Ints, Mask


@dataclass(eq=False, slots=True)
class Market:
    """The speculative spot lots of a need, by (class, zone).

    Attributes
    ----------
    is_spot
        Shape ``(L,)``. Speculative and spot.
    spot
        Shape ``(L,)``. Which (class, zone) each lot is in; of no meaning for the others.
    of_need, of_cluster
        Spot machines that the need and its cluster have in each, what was taken since included.
    """

    lots: Lots
    purse: Purse
    is_spot: Mask
    spot: Ints
    of_need: Ints
    of_cluster: Ints

    @staticmethod
    def of(lots: Lots, purse: Purse) -> "Market":
        """Open the market: look at every spot lot, since each one's stock counts for the others."""
        is_spot = lots.is_speculative & lots.is_spot
        lots.settle(np.flatnonzero(is_spot))
        names: list[ClassZone] = list(
            zip(lots.class_index.tolist(), lots.zone.tolist(), strict=True)
        )
        known = {name: number for number, name in enumerate(dict.fromkeys(names))}
        of_need, of_cluster = purse.spot_of_need(), purse.spot_of_cluster()
        return Market(
            lots=lots,
            purse=purse,
            is_spot=is_spot,
            spot=np.array([known[name] for name in names], dtype=np.int64),
            of_need=np.array([of_need[name] for name in known], dtype=np.int64),
            of_cluster=np.array([of_cluster[name] for name in known], dtype=np.int64),
        )

    def within_share(self, allowed: Mask) -> Mask:
        """Pass over what has its share while another could be taken instead.

        The other must be cheaper than the cheapest candidate that is not spot, and below its own
        share.
        """
        room = self.purse.spot_cap - self.of_need[self.spot]
        bought = allowed & self.lots.is_speculative
        takers = bought & self.is_spot & (room > 0)
        if takers.any():
            ceiling = self._ceiling(bought & ~self.is_spot)
            takers &= (self.lots.cost_nanos < ceiling) if ceiling is not None else True
        # A lot that is full is in another (class, zone) than any that has room.
        return allowed & ~(self.is_spot & (room <= 0) & bool(takers.any()))

    def _ceiling(self, others: Mask) -> int | None:
        """Give the cost of the cheapest lot that is not spot and not empty; None without any.

        A lot says only at the most how many are left, until it is settled: an earlier need may have
        taken them all.
        """
        lots = np.flatnonzero(others)
        for lot in lots[np.argsort(self.lots.cost_nanos[lots], kind="stable")].tolist():
            self.lots.settle([lot])
            if self.lots.left[lot] > 0:
                return int(self.lots.cost_nanos[lot])
        return None

    def next(self, head: int, allowed: Mask, wanted: int) -> list[tuple[int, int]]:
        """Give the lots to take from next, and how many machines of each.

        Among lots within the price tolerance of the cheapest the one goes first in whose (class,
        zone) the cluster has the fewest; equals by rank. Rounds in which each of several equals
        would give one after the other are taken at once.
        """
        lots = self.lots
        alike = np.flatnonzero(allowed & self.is_spot & (lots.flags == lots.flags[head]))
        tolerance = 1 + Fraction(repr(lots.ledger.settings.assign.price_tolerance))
        limit = int(int(lots.cost_nanos[alike].min()) * tolerance)
        alike = alike[lots.cost_nanos[alike] <= limit]
        has = self.of_cluster[self.spot[alike]]
        fewest = alike[has == has.min()]
        rounds = self._rounds(head, fewest, has, wanted)
        takes = [(int(lot), rounds) for lot in fewest] if rounds else [(int(fewest[0]), 1)]
        for lot, amount in takes:
            self.of_cluster[self.spot[lot]] += amount
            self.of_need[self.spot[lot]] += amount
        return takes

    def _rounds(self, head: int, fewest: Ints, has: Ints, wanted: int) -> int:
        """Give for how many rounds nothing changes but the counts; 0 for not even a whole one."""
        if self.purse.skew.constraints or len(np.unique(self.spot[fewest])) < len(fewest):
            return 0
        room = self.purse.spot_cap - self.of_need[self.spot[fewest]]
        # What has no room has none to lose: nobody else has any, or it would not be allowed.
        turns = np.where(room > 0, np.minimum(self.lots.left[fewest], room), self.lots.left[fewest])
        # The head's last turn ends its being the head, and another lot may come before the rest.
        turns = turns - (fewest == head)
        rounds = min(wanted // len(fewest), int(turns.min()))
        if (has > has.min()).any():
            rounds = min(rounds, int(has[has > has.min()].min() - has.min()))
        if self.lots.is_risky[fewest].any():
            rounds = min(rounds, max(0, self.purse.risky_left) // len(fewest))
        return rounds
