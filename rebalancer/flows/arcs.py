"""The arcs of a circulation, laid in blocks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.fleet import Ints

Column = Ints | Sequence[int] | int


@dataclass(frozen=True, eq=False, slots=True)
class Arcs:
    """Arcs, ``A`` of them, between ``nodes``: from where, to where, how much; all ``(A,)``."""

    nodes: int
    tail: Ints
    head: Ints
    most: Ints

    def __len__(self) -> int:
        return len(self.most)


def laid(
    nodes: int, everything: int, blocks: Sequence[tuple[Column, Column, Column]]
) -> tuple[Arcs, list[slice]]:
    """Put blocks of arcs (tail, head, most) behind each other; say where each block stands.

    Columns of a block are broadcast; no capacity is beyond ``everything`` there is to do.
    """
    whole = [np.broadcast_arrays(*block) for block in blocks]
    ends = np.cumsum([0, *(len(block[0]) for block in whole)]).tolist()
    tail, head, most = (
        np.concatenate(column).astype(np.int64) for column in zip(*whole, strict=True)
    )
    at = [slice(start, end) for start, end in pairwise(ends)]
    return Arcs(nodes, tail, head, np.minimum(most, everything)), at
