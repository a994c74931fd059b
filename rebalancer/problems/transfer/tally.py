"""What moves come to, told from the moves alone."""

from dataclasses import dataclass

import numpy as np

from models.distinct import sums
from models.fleet import Ints
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.moves import Moves
from rebalancer.problems.transfer.offers import NOBODY, Tier


@dataclass(frozen=True, eq=False, slots=True)
class Tally:
    """The sums over all moves.

    ``gained`` and ``lost``, ``(P,)``, are machines by level; ``cost_usd`` is exact but for the
    rounding of floats.
    """

    gained: Ints
    lost: Ints
    drained: int
    created: int
    unpriced: int
    cost_usd: float


def tally(question: Exchange, moves: Moves) -> Tally:
    """Add the moves up."""
    offers, wanted, costs = question.offers, question.wanted, question.costs
    tier, thing = offers.tier[moves.offer], offers.thing[moves.offer]
    level, count = offers.level[moves.offer], moves.count
    levels = len(question.priorities)
    drains, loses = tier == Tier.DRAIN, level != NOBODY
    each = costs.take[tier, thing]
    price = np.nan_to_num(each) + np.where(drains, costs.lose[level], 0.0)
    price += costs.risk[thing] * wanted.penalty_usd[moves.wanted]
    return Tally(
        gained=sums(wanted.level[moves.wanted], count, levels),
        lost=sums(level[loses], count[loses], levels),
        drained=int(count[drains].sum()),
        created=int(count[tier == Tier.SPECULATIVE].sum()),
        unpriced=int(count[np.isnan(each)].sum()),
        cost_usd=float(price @ count),
    )
