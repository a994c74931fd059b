"""What nothing tells apart, counted: gang classes, and blocks of racks."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.packing.question import RACK, SPINE, Question


@dataclass(frozen=True, eq=False, slots=True)
class GangClasses:
    """Gangs of one level, size, rank and set of types, ``K`` classes, sorted in that order.

    Attributes
    ----------
    rank
        Place of the priority among the question's, 0 is the highest.
    count
        Gangs of the class.
    of
        The class of each gang, ``(G,)``.
    """

    level: Ints
    size: Ints
    rank: Ints
    types: Ints
    count: Ints
    of: Ints

    def __len__(self) -> int:
        return len(self.count)


def gang_classes(question: Question) -> GangClasses:
    """Count the gangs."""
    gangs = question.gangs
    rank = len(question.priorities) - 1 - np.searchsorted(question.priorities[::-1], gangs.priority)
    columns = np.column_stack([gangs.level, gangs.size, rank, gangs.types])
    rows, of, count = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
    level, size, place, types = rows.T
    return GangClasses(
        level, size, place, types, count.astype(np.int64), of.reshape(-1).astype(np.int64)
    )


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Racks of one type that the model takes together: of a pool, or of all pools.

    ``rows`` are their rows in the question; ``pool`` is -1 where nobody draws on pools.
    """

    type: int
    pool: int
    rows: Ints


def blocks(question: Question, *, by_pool: bool) -> list[Block]:
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


def drawn_types(question: Question) -> Mask:
    """Mark the types on whose pools some gang may draw, ``(types,)``."""
    sets = np.unique(question.gangs.types[question.gangs.level == SPINE])
    mask: Mask = question.eligible[sets].any(axis=0)
    return mask


def largest_room(question: Question) -> Ints:
    """Give the machines of the largest rack and the largest pool of each type, ``(2, types)``."""
    room = np.zeros((2, question.eligible.shape[1]), dtype=np.int64)
    np.maximum.at(room[RACK], question.racks.type, question.racks.free)
    np.maximum.at(room[SPINE], question.pool_type, question.pool_free)
    return room
