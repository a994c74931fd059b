"""Growth, shrinking, splitting, merging: like shares again, and no domain moves that need not."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from rebalancer.problems.ownership.extras import extras, extras_of
from rebalancer.problems.ownership.holdings import Holdings
from rebalancer.problems.ownership.proof import is_an_answer, is_least
from rebalancer.problems.ownership.water import shares_of


@dataclass(frozen=True, eq=False, slots=True)
class Balanced:
    """A distribution.

    Attributes
    ----------
    after
        Shape ``(G, S)``. The movable domains that each shard holds then.
    moved
        Domains that change hands.
    proven
        Whether the totals are the most even there can be, and the movement the least for it, as
        found again from the answer (see ``proof``). The shares of the groups are so in any case.
    """

    after: Ints
    moved: int
    proven: bool


def balanced(holdings: Holdings) -> Balanced:
    """Level every group (see ``water``), then the totals, then move as few domains as that allows.

    A new shard is one that holds nothing yet; one that goes is closed. Where nothing is fixed,
    groups and totals end within one.

    Raises
    ------
    ValueError
        When the solver's answer is none.
    """
    shares = shares_of(holdings)
    asked = extras_of(holdings, shares)
    z = extras(asked)
    if not is_an_answer(asked, z):
        raise ValueError("the flow does not deal out what is left of each group.")
    after = shares.base + z
    moved = int(np.maximum(after - holdings.movable, 0).sum())
    return Balanced(after, moved, is_least(asked, z))


def is_level(holdings: Holdings, after: Ints) -> bool:
    """Tell whether each group is level: no movable domain would be less crowded elsewhere."""
    have = (holdings.fixed + after)[:, holdings.open]
    most = np.where(after[:, holdings.open] > 0, have, 0).max(axis=1)
    return bool(np.all(most <= have.min(axis=1) + 1) and not after[:, ~holdings.open].any())
