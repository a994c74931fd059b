"""From which level on an offer may serve: the rules on priority, in one number."""

import numpy as np

from models.fleet import Ints
from rebalancer.problems.transfer.exchange import Exchange
from rebalancer.problems.transfer.offers import NOBODY


def entry_levels(question: Exchange) -> Ints:
    """Give for each offer, ``(O,)``, the lowest level that it may serve; P where it may serve none.

    It is the larger of two: the first level at least ``min_gap`` above the work that is lost, and
    the one above all that the donor's own lack and could use. Hence nothing ever goes back to its
    own shard: whatever a shard lacks of a thing lies below what its offers of it may serve.
    """
    offers, priorities = question.offers, question.priorities
    gap = max(question.min_gap, 1)
    over = np.searchsorted(priorities, priorities + gap)[offers.level] if len(priorities) else 0
    over_work = np.where(offers.level == NOBODY, 0, over)
    entry: Ints = np.maximum(over_work, kept_below(question)[offers.donor, offers.thing])
    return entry


def kept_below(question: Exchange) -> Ints:
    """Give by shard and thing, ``(S, K)``, 1 + the highest level that the shard keeps it for."""
    wanted, eligible = question.wanted, question.eligible
    kept = np.zeros((len(question.most_drains), eligible.shape[1]), dtype=np.int64)
    if question.kept is not None:
        kept = np.maximum(kept, question.kept)
    rows = np.flatnonzero(wanted.short > 0)
    if not len(rows):
        return kept
    rows = rows[np.lexsort((wanted.receiver[rows], wanted.level[rows]))]
    place = wanted.level[rows] * len(kept) + wanted.receiver[rows]
    first = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
    usable = np.logical_or.reduceat(eligible[wanted.profile[rows]], first, axis=0)
    for shard, level, mask in zip(
        wanted.receiver[rows[first]], wanted.level[rows[first]], usable, strict=True
    ):
        kept[shard, mask] = np.maximum(kept[shard, mask], level + 1)
    return kept
