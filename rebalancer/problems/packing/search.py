"""Pack as well as time allows, and prove how well that is: the door of this package."""

from collections.abc import Callable, Iterator
from math import gcd

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.limits import Limits
from rebalancer.problems.packing.answer import Packing, aim_of, packing_of
from rebalancer.problems.packing.bound import Prices, bound, no_prices, prices_from
from rebalancer.problems.packing.classes import Block, blocks
from rebalancer.problems.packing.engine import Engine, OrTools
from rebalancer.problems.packing.greedy import best_fit
from rebalancer.problems.packing.model import Aim, model_of
from rebalancer.problems.packing.question import (
    NOWHERE,
    RACK,
    Question,
    holds,
    key,
    left_in,
    nowhere,
    served,
    untouched,
)
from rebalancer.problems.packing.slots import homes

SMALLEST_LIMIT = 0.01
"""Below so many seconds no solver is asked."""

SHARE = 0.5
"""A goal may use so much of what is left, lest one that is hard to prove starve later ones."""

PART = 4
"""Blocks that are packed anew together, to begin with: four types take some 2 s."""

NODES = 2_000
"""Of the search tree of one part; those that matter are done in some tens."""

OnBetter = Callable[[Ints], None]
"""Told the homes of every better packing."""


def pack(
    question: Question,
    limits: Limits,
    engine: Engine | None = None,
    on_better: OnBetter | None = None,
) -> Packing:
    """Pack gangs into racks and spines, the best that is found within the limits.

    Pure, and safe to call in a process of its own: the question is plain arrays, and so is the
    answer. For gangs that are short in one shard and racks of others: a rack is a (shard, domain)
    with the idle machines of one type, a type is a set of machine classes that no gang tells
    apart, and a row of ``eligible`` is what the requirements of a gang allow.

    The greedy packing is the start, so there always is an answer that holds, and no answer is
    worse. ``answer.domains`` gives each gang its domain, ``answer.takings`` the machines of each
    rack, ``answer.believed`` checks an answer that came from elsewhere.

    Parameters
    ----------
    limits
        ``seconds`` are kept by asking the clock between calls of the solver, and by the solver's
        own limit within: late by some tenths of a second at most in all that was measured.
        Without a limit that binds, same question and seed give the same answer. ``workers`` does
        not matter: one thread; nor does ``work``.
    engine
        Who solves programmes; OR-Tools unless said otherwise.
    on_better
        Told of every better packing on the way: all that is lost if the process is ended.
    """
    walk = _Walk(question, limits, engine or OrTools(), on_better)
    for goal in range(len(question.priorities) + 1):
        walk.improve(goal)
    return packing_of(question, walk.best, tuple(walk.prices))


class _Walk:
    """The best homes so far, the prices of each goal, and what is left of the limits."""

    def __init__(
        self, question: Question, limits: Limits, engine: Engine, on_better: OnBetter | None
    ) -> None:
        self.question, self.limits, self.engine = question, limits, engine
        self.on_better = on_better
        self.started = limits.clock()
        self.best = best_fit(question, nowhere(question))
        self.prices: list[Prices] = []
        self.blocks = blocks(question, by_pool=True)
        if on_better is not None:
            on_better(self.best)

    def improve(self, goal: int) -> None:
        """Seek a goal until it is proven, nothing more is found or its time is up."""
        question = self.question
        aim = aim_of(question, key(question, self.best), goal)
        prices = no_prices(question, aim)
        most = bound(question, aim, prices)
        left = self._left()
        until = None if left is None else self.limits.clock() + SHARE * left
        if self._value(goal) < most and self._has_time(until):
            prices = self._cheaper(aim, prices, until)
            most = bound(question, aim, prices)
        self.prices.append(prices)
        if self._value(goal) < most:
            self._repack(Aim(aim.held, most), until)

    def _cheaper(self, aim: Aim, prices: Prices, until: float | None) -> Prices:
        """Give the prices of the relaxation, if they prove more than those given."""
        question = self.question
        model = model_of(question, blocks(question, by_pool=False), aim)
        duals = self.engine.prices(model.programme, self._rest(until))
        if duals is None or duals.shape != model.programme.row_lower.shape:
            return prices
        found = prices_from(question, model, aim, duals)
        return min(prices, found, key=lambda some: bound(question, aim, some))

    def _repack(self, aim: Aim, until: float | None) -> None:
        """Pack ever larger parts anew, all parts of one number of blocks before the next."""
        size = PART
        while True:
            fails = 0
            parts = list(_parts(len(self.blocks), size))
            order = self._by_room()
            while fails < len(parts):
                for part in parts:
                    if self._value(aim.goal) >= aim.most or not self._has_time(until):
                        return
                    chosen = [self.blocks[order[place]] for place in part]
                    is_better = self._repack_part(chosen, aim, until)
                    fails = 0 if is_better else fails + 1
                    if fails >= len(parts):
                        break
            if size >= len(self.blocks):
                return
            size *= 2

    def _by_room(self) -> list[int]:
        """Give the blocks, those with most room left first."""
        rack_left, pool_left = left_in(self.question, self.best)
        room = [
            int(pool_left[block.pool] if block.pool >= 0 else rack_left[block.rows].sum())
            for block in self.blocks
        ]
        return sorted(range(len(room)), key=lambda number: (-room[number], number))

    def _repack_part(self, chosen: list[Block], aim: Aim, until: float | None) -> bool:
        """Pack some blocks anew, with the gangs in them and those that wait; tell if better."""
        question = self.question
        part = _Part(question, self.best, chosen, aim)
        if not part.is_worth_it:
            return False
        model = model_of(part.question, blocks(part.question, by_pool=True), part.aim)
        columns = self.engine.values(model.programme, self._rest(until), NODES, self.limits.seed)
        found = None if columns is None else homes(part.question, model, columns)
        if found is None or not holds(part.question, found):
            return False
        home = best_fit(question, part.put_back(found))
        value, before = key(question, home), key(question, self.best)
        if value < before:
            return False
        # One that is as good is taken too: the next part then starts elsewhere.
        self.best = home
        if value > before and self.on_better is not None:
            self.on_better(home)
        return value[: aim.goal + 1] > before[: aim.goal + 1]

    def _value(self, goal: int) -> int:
        return key(self.question, self.best)[goal]

    def _left(self) -> float | None:
        seconds = self.limits.seconds
        return None if seconds is None else seconds - (self.limits.clock() - self.started)

    def _rest(self, until: float | None) -> float | None:
        return None if until is None else until - self.limits.clock()

    def _has_time(self, until: float | None) -> bool:
        rest = self._rest(until)
        return rest is None or rest > SMALLEST_LIMIT


class _Part:
    """Some blocks as a question of their own; what stands elsewhere stays there."""

    def __init__(self, question: Question, home: Ints, chosen: list[Block], aim: Aim) -> None:
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
        waits = (home < 0) & is_useful[gangs.types]
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

    def _aim(self, question: Question, aim: Aim, inside: Mask) -> Aim:
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


def _parts(count: int, size: int) -> Iterator[list[int]]:
    """Give parts of so many of ``count`` places, until every two have met; all where that fits.

    The stride changes from round to round, so that neighbours do.
    """
    if size >= count:
        yield list(range(count))
        return
    for stride in range(1, count // 2 + 1):
        if gcd(stride, count) == 1:
            ring = [place * stride % count for place in range(count)]
            for start in range(0, count, size):
                yield [ring[(start + step) % count] for step in range(size)]
