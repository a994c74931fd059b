"""Shortfalls that nothing tells apart but their shard, taken together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.distinct import sums
from models.fleet import Ints, Reals
from rebalancer.problems.transfer.exchange import Exchange


@dataclass(frozen=True, eq=False, slots=True)
class Groups:
    """Shortfalls of equal eligible things, level and penalty, ``G`` of them.

    Attributes
    ----------
    eligible, level, penalty_usd, short
        Shapes ``(G, K)``, ``(G,)``, ``(G,)`` and ``(G,)``. Nobody's penalty counts who can get
        nothing that may be interrupted.
    of_wanted
        Shape ``(W,)``. The group of each row of what is wanted.
    wanted_short
        Shape ``(W,)``. What the row lacks, or all that anybody offers where that is less.
    """

    eligible: NDArray[np.bool_]
    level: Ints
    penalty_usd: Reals
    short: Ints
    of_wanted: Ints
    wanted_short: Ints

    def __len__(self) -> int:
        return len(self.short)


def groups_of(question: Exchange) -> Groups:
    """Group what is wanted, in the order of (eligible things, level, penalty)."""
    wanted, eligible = question.wanted, question.eligible
    packed = np.packbits(eligible, axis=1)
    # Rows as opaque bytes: only whether they are equal matters.
    opaque = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, alike = np.unique(opaque, return_index=True, return_inverse=True)
    is_risky = np.logical_or.reduce(eligible & (question.costs.risk > 0), axis=1)
    penalty = np.where(is_risky[wanted.profile], wanted.penalty_usd, 0.0)
    kinds, kind = np.unique(penalty, return_inverse=True)
    key = (alike[wanted.profile] * len(question.priorities) + wanted.level) * len(kinds) + kind
    keys, of_wanted = np.unique(key, return_inverse=True)
    rest, kind = np.divmod(keys, max(len(kinds), 1))
    rank, level = np.divmod(rest, max(len(question.priorities), 1))
    wanted_short = np.minimum(wanted.short, question.offers.count.sum())
    return Groups(
        eligible[first[rank]],
        level.astype(np.int64),
        kinds[kind],
        sums(of_wanted, wanted_short, len(keys)),
        of_wanted.astype(np.int64),
        wanted_short,
    )
