"""What is asked: who offers what, who lacks what, who may serve whom, and what it costs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.fleet import Ints, Reals
from rebalancer.problems.transfer.columns import freeze_table
from rebalancer.problems.transfer.offers import Offers, Tier


@dataclass(frozen=True, eq=False, slots=True)
class Wanted:
    """What needs lack that their own shard does not give, ``W`` rows.

    Attributes
    ----------
    receiver, profile, level
        Shape ``(W,)``. The shard; row of ``eligible``; the level at which it is wanted.
    penalty_usd
        Shape ``(W,)``. What one interruption costs the need.
    short
        Shape ``(W,)``. Machines.

    Raises
    ------
    ValueError
        When shapes disagree, or a number is negative or not finite.
    """

    receiver: Ints
    profile: Ints
    level: Ints
    penalty_usd: Reals
    short: Ints

    def __post_init__(self) -> None:
        freeze_table(self.receiver, self.profile, self.level, self.penalty_usd, self.short)
        whole = np.stack([self.receiver, self.profile, self.level, self.short])
        if (whole < 0).any() or (self.penalty_usd < 0).any():
            raise ValueError("wanted holds a negative number.")
        if not np.isfinite(self.penalty_usd).all():
            raise ValueError("a penalty is not finite.")

    def __len__(self) -> int:
        return len(self.short)


@dataclass(frozen=True, eq=False, slots=True)
class Costs:
    """What one machine that moves costs, in USD, the weights of the goals already in.

    Attributes
    ----------
    take
        Shape ``(3, K)``. By tier and thing: its price, its start, its move. NaN for idle things of
        unknown price, which are used last of all idle and speculative ones and then count as 0.
    lose
        Shape ``(P + 1,)``. By level of the work that ends; the last entry is for machines in
        excess.
    risk
        Shape ``(K,)``. What one USD of the receiver's penalty adds: the interruption probability.

    Raises
    ------
    ValueError
        When a number is not finite that must be, or a risk is negative.
    """

    take: Reals
    lose: Reals
    risk: Reals

    def __post_init__(self) -> None:
        for column in (self.take, self.lose, self.risk):
            column.flags.writeable = False
        known = (np.delete(self.take, Tier.IDLE, axis=0), self.lose, self.risk)
        if np.isinf(self.take).any() or not all(np.isfinite(column).all() for column in known):
            raise ValueError("a cost is not finite.")
        if (self.risk < 0).any():
            raise ValueError("a risk is negative.")


def effective_costs(price_per_hour: Reals, probability: Reals, levels: int) -> Costs:
    """Give price + p x penalty of whatever serves, ``(K,)`` each; preempting costs nothing more."""
    take = np.tile(price_per_hour, (len(Tier), 1))
    return Costs(take, np.zeros(levels + 1), probability.copy())


@dataclass(frozen=True, eq=False, slots=True)
class Exchange:
    """One problem: arrays only, so that it can cross to a process.

    A *thing* is what no need can tell apart: a class at a site, and for new machines also how soon
    one is ready where that decides who may have it. A need that wants all its machines in one
    domain, spread or of a floor does not fit in here: what its shard keeps for it goes into
    ``kept``.

    Attributes
    ----------
    priorities
        Shape ``(P,)``, strictly ascending. What each level stands for.
    eligible
        Shape ``(F, K)``. The things that a need of each profile can use, drained or new.
    most_drains
        Shape ``(S,)``. Machines that each shard drains at most; a large number where nothing is
        said.
    min_gap
        Least distance in priority over which work is drained for another shard; at least 1 counts.
    most_moves
        Machines that move at most; None where nothing is said.
    kept
        Shape ``(S, K)``. 1 + the highest level for which a shard keeps a thing, beside what
        ``wanted`` says of itself; 0 or None where it keeps nothing.

    Raises
    ------
    ValueError
        When shapes disagree or a number points outside of what is there.
    """

    priorities: Ints
    eligible: NDArray[np.bool_]
    offers: Offers
    wanted: Wanted
    costs: Costs
    most_drains: Ints
    min_gap: int = 100_000
    most_moves: int | None = None
    kept: Ints | None = None

    def __post_init__(self) -> None:
        levels, shards = len(self.priorities), len(self.most_drains)
        profiles, things = self.eligible.shape
        if (np.diff(self.priorities) <= 0).any():
            raise ValueError("priorities must ascend strictly.")
        if (self.most_drains < 0).any() or (self.most_moves or 0) < 0:
            raise ValueError("a limit is negative.")
        shapes = (self.costs.take.shape, self.costs.lose.shape, self.costs.risk.shape)
        if shapes != ((len(Tier), things), (levels + 1,), (things,)):
            raise ValueError(f"costs have shapes {shapes}, which do not fit the question.")
        if self.kept is not None and self.kept.shape != (shards, things):
            raise ValueError(f"kept has shape {self.kept.shape}, expected {(shards, things)}.")
        for name, column, end in (
            ("offers.donor", self.offers.donor, shards),
            ("offers.thing", self.offers.thing, things),
            ("offers.level", self.offers.level, levels),
            ("wanted.receiver", self.wanted.receiver, shards),
            ("wanted.profile", self.wanted.profile, profiles),
            ("wanted.level", self.wanted.level, levels),
        ):
            if column.max(initial=-1) >= end:
                raise ValueError(f"{name} holds {int(column.max())}, expected less than {end}.")
