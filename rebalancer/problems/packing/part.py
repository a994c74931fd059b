"""Some blocks of a packing as a question of their own: what is packed anew while the rest stays."""

from collections.abc import Iterator
from math import gcd

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.problems.packing.blocks import Block
from rebalancer.problems.packing.columns import RACK
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.model import Aim
from rebalancer.problems.packing.worth import NOWHERE, served, untouched


class Part:
    """Some blocks as a question of their own; what stands elsewhere stays there."""

    def __init__(self, question: Hall, home: Ints, chosen: list[Block], aim: Aim) -> None:
        gangs = question.gangs
        self._racks = np.sort(np.concatenate([block.rows for block in chosen]))
        # The lower priorities are put back afterwards, where there is room.
        goals = len(question.priorities)
        lowest = question.priorities[min(aim.goal, goals - 1)]
        self._rest = np.where(gangs.priority >= lowest, home, NOWHERE)
        inside = np.zeros(len(question.racks), dtype=np.bool_)
        inside[self._racks] = True
        pool_inside = np.zeros(len(question.pool_type), dtype=np.bool_)
        pool_inside[question.pool[self._racks]] = True
        at_rack = np.where(gangs.level == RACK, home, NOWHERE)
        at_pool = np.where(gangs.level == RACK, NOWHERE, home)
        here = np.zeros(len(gangs), dtype=np.bool_)
        here[at_rack >= 0] = inside[at_rack[at_rack >= 0]]
        here[at_pool >= 0] = pool_inside[at_pool[at_pool >= 0]]
        kinds = np.unique([block.type for block in chosen])
        is_useful: Mask = np.logical_or.reduce(question.eligible[:, kinds], axis=1)
        waits = (home < 0) & is_useful[gangs.types] & question.has_hope
        self._gangs = np.flatnonzero((here | waits) & (gangs.priority >= lowest))
        self._rest[self._gangs] = NOWHERE
        self.question = question.part(self._racks, self._gangs)
        self._pool = np.zeros(len(self.question.pool_type), dtype=np.int64)
        self._pool[self.question.pool] = question.pool[self._racks]
        self.aim = self._aim(question, aim, inside)

    @property
    def is_worth_it(self) -> bool:
        """Tell whether the part has gangs at all, and some of the goal."""
        return self._has_goal and len(self.question.gangs) > 0

    def _aim(self, question: Hall, aim: Aim, inside: Mask) -> Aim:
        """Give what the part has to hold, and the most it can add."""
        outside = served(question, self._rest)
        # Priorities of which the part has no gang are no goals of it.
        inner = set(self.question.priorities.tolist())
        present = [p in inner for p in question.priorities.tolist()]
        held = tuple(
            max(0, value - out)
            for value, out, is_present in zip(aim.held, outside, present, strict=False)
            if is_present
        )
        if aim.goal < len(question.priorities):
            self._has_goal = present[aim.goal]
            return Aim(held, aim.most - outside[aim.goal])
        self._has_goal = True
        spared = untouched(question, self._rest) & ~inside
        return Aim(held, aim.most - int(question.racks.free[spared].sum()))

    def put_back(self, home: Ints) -> Ints:
        """Give the homes of all gangs, with those of the part as found."""
        level = self.question.gangs.level
        moved = np.full(len(home), NOWHERE, dtype=np.int64)
        in_rack, in_pool = (level == RACK) & (home >= 0), (level != RACK) & (home >= 0)
        moved[in_rack] = self._racks[home[in_rack]]
        moved[in_pool] = self._pool[home[in_pool]]
        whole = self._rest.copy()
        whole[self._gangs] = moved
        return whole


def parts(count: int, size: int) -> Iterator[list[int]]:
    """Give parts of so many of ``count`` places, round after round; all in one where that fits.

    Each round takes every place; the stride changes between rounds, so that neighbours do.
    """
    if size >= count:
        yield list(range(count))
        return
    for stride in range(1, count):
        if gcd(stride, count) == 1:
            for start in range(0, count, size):
                yield [(start + step) * stride % count for step in range(size)]
