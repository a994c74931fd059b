"""The racks that a model takes together."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.packing.columns import SPINE
from rebalancer.problems.packing.hall import Hall


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Racks of one type that the model takes together: of a pool, or of all pools.

    ``rows`` are their rows in the question; ``pool`` is -1 where nobody draws on pools.
    """

    type: int
    pool: int
    rows: Ints


def blocks(question: Hall, *, by_pool: bool) -> list[Block]:
    """Give the racks in blocks: by type, and by pool where a gang may draw on one.

    Unless asked for ``by_pool`` a type is one block, as if its racks stood under one spine: that
    is a relaxation.
    """
    drawn_on = drawn_types(question)
    found = []
    for kind in np.unique(question.racks.type).tolist():
        rows = np.flatnonzero(question.racks.type == kind)
        if not drawn_on[kind]:
            found.append(Block(kind, -1, rows))
        elif not by_pool:
            found.append(Block(kind, 0, rows))
        else:
            pools = question.pool[rows]
            found += [Block(kind, p, rows[pools == p]) for p in np.unique(pools).tolist()]
    return found


def drawn_types(question: Hall) -> Mask:
    """Mark the types on whose pools some gang may draw, ``(types,)``."""
    sets = np.unique(question.gangs.types[question.gangs.level == SPINE])
    mask: Mask = question.eligible[sets].any(axis=0)
    return mask
