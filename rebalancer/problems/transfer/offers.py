"""What every shard could give, in counts of machines that nothing tells apart."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from models.fleet import Ints
from rebalancer.problems.transfer.columns import freeze_table

NOBODY = -1
"""The level of work where there is none: nobody loses the machine."""

MOST_MACHINES = 2**40
"""Machines that are offered are fewer, so that no sum leaves 63 bits."""


class Tier(IntEnum):
    """What must be done before a machine can move; in the order in which tiers are taken."""

    IDLE = 0
    SPECULATIVE = 1
    DRAIN = 2


@dataclass(frozen=True, eq=False, slots=True)
class Offers:
    """Machines that may leave their shard, ``O`` rows; no two rows differ in the count alone.

    Attributes
    ----------
    donor, thing, tier
        Shape ``(O,)``. The shard; what it is, as needs can tell things apart; code of ``Tier``.
    level
        Shape ``(O,)``. The level of the work that runs on it, ``NOBODY`` where none does. Only
        what is drained can run work; drained without any, it is in excess.
    count
        Shape ``(O,)``. Machines, at least 0.

    Raises
    ------
    ValueError
        When shapes disagree, a number is out of its range, two rows are alike, or there are
        ``MOST_MACHINES`` or more.
    """

    donor: Ints
    thing: Ints
    tier: Ints
    level: Ints
    count: Ints

    def __post_init__(self) -> None:
        columns = (self.donor, self.thing, self.tier, self.level, self.count)
        freeze_table(*columns)
        if (np.stack(columns) < np.array([0, 0, 0, NOBODY, 0])[:, None]).any():
            raise ValueError("offers hold a negative number.")
        if (self.tier > Tier.DRAIN).any():
            raise ValueError(f"tier {int(self.tier.max())} is unknown.")
        if (self.level[self.tier != Tier.DRAIN] != NOBODY).any():
            raise ValueError("only machines of the tier DRAIN can run work.")
        if self.count.astype(np.float64).sum() >= MOST_MACHINES:
            raise ValueError(f"{MOST_MACHINES} machines or more are offered.")
        order = np.lexsort(columns[:4])
        same = [(c[order][1:] == c[order][:-1]) for c in columns[:4]]
        if np.logical_and.reduce(same).any():
            raise ValueError("two rows of the offers are alike.")

    def __len__(self) -> int:
        return len(self.count)
