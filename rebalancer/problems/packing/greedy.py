"""Best fit, decreasing: the fast method, and the start of every search."""

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush, heapreplace
from math import lcm
from operator import mul

import numpy as np

from models.distinct import sums
from models.fleet import Ints
from rebalancer.problems.packing.columns import RACK
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.worth import NOWHERE, left_in

Thing = tuple[int, int]


def best_fit(question: Hall, home: Ints) -> Ints:
    """Serve more gangs, those with a home keep it; give the homes, ``(G,)``.

    By priority, then size, from the largest down, a rack's before a spine's, then who has fewer
    types to choose from, then by set of types, then by row. Each goes where it leaves least: of
    racks with like room to the type that is least wanted, then the lowest pool and row. With four
    types that serves 337 machines too few where ties by row alone left 753.
    """
    gangs = question.gangs
    choices = question.eligible.sum(axis=1)[gangs.types]
    order = np.lexsort((gangs.types, choices, gangs.level, -gangs.size, -gangs.priority))
    order = order[home[order] < 0]
    shelves = _Shelves(question, home)
    types = [np.flatnonzero(row).tolist() for row in question.eligible]
    given = home.copy()
    columns = (gangs.level, gangs.size, gangs.types)
    alike = np.flatnonzero(np.any([np.diff(column[order]) for column in columns], axis=0)) + 1
    for run in np.split(order, alike) if len(order) else ():
        first = run[0]
        kinds = types[gangs.types[first]]
        given[run] = shelves.take(int(gangs.level[first]), int(gangs.size[first]), kinds, len(run))
    return given


def wanted_by_type(question: Hall) -> list[Fraction]:
    """Give how many times over each type, ``(T,)``, is wanted, exactly.

    A gang for which there is room counts a like share for each of its types; a type without
    machines as if it had one.
    """
    gangs, eligible = question.gangs, question.eligible
    sets, types = eligible.shape
    size = np.where(question.has_hope, gangs.size, 0)
    by_set = sums(gangs.types, size, sets)
    choices, which = np.unique(eligible.sum(axis=1), return_inverse=True)
    wants = np.zeros((len(choices), types), dtype=np.int64)
    np.add.at(wants, which, eligible * by_set[:, None])
    unit = lcm(*(count for count in choices.tolist() if count))
    share = [unit // max(1, count) for count in choices.tolist()]
    free = sums(question.racks.type, question.racks.free, types)
    return [
        Fraction(sum(map(mul, share, column)), unit * max(1, machines))
        for column, machines in zip(wants.T.tolist(), free.tolist(), strict=True)
    ]


@dataclass(slots=True)
class _Shelf:
    """Things by how much is left of each: least first, ties to the lowest thing.

    Of 60,000 racks few differ in what is left: so there is a heap for each amount, and the amounts
    alone are kept in order. One sorted list of all took 42 s for 100,000 gangs, this takes 0.7 s.
    """

    amounts: list[int] = field(default_factory=list)
    heaps: dict[int, list[Thing]] = field(default_factory=dict)

    def put(self, left: int, thing: Thing) -> None:
        """Add a thing."""
        if left not in self.heaps:
            self.heaps[left] = []
            insort(self.amounts, left)
        heappush(self.heaps[left], thing)

    def first(self, size: int, refuses: Callable[[int, Thing], bool]) -> tuple[int, Thing] | None:
        """Give the first thing of which ``size`` is left; whatever is refused before is taken off.

        What there is comes with how much is left of it.
        """
        at = bisect_left(self.amounts, size)
        while at < len(self.amounts):
            left = self.amounts[at]
            heap = self.heaps[left]
            while heap:
                if not refuses(left, heap[0]):
                    return left, heap[0]
                heappop(heap)
            del self.amounts[at], self.heaps[left]
        return None

    def take_off(self, left: int) -> None:
        """Take off the first of those with so much left."""
        heappop(self.heaps[left])


class _Shelves:
    """What is left, by type: racks as (place, row), pools as (place, -1).

    A *place* is that of a pool among all, those of the type that is least wanted first. A rack's
    room is no more than its pool's: where spine-bound gangs have drawn on the pool, racks that look
    roomier are passed over; they wait off the shelf until something smaller is asked for.
    """

    def __init__(self, question: Hall, home: Ints) -> None:
        rack_left, pool_left = left_in(question, home)
        wanted = wanted_by_type(question)
        rank = {want: n for n, want in enumerate(sorted(set(wanted)))}
        ranks = np.array([rank[want] for want in wanted], dtype=np.int64)
        in_place = np.argsort(ranks[question.pool_type], kind="stable")
        place = np.empty(len(in_place), dtype=np.int64)
        place[in_place] = np.arange(len(in_place))
        self._pools_in_place: list[int] = in_place.tolist()
        self._pool_left: list[int] = pool_left[in_place].tolist()
        self._pool_type: list[int] = question.pool_type[in_place].tolist()
        self._racks = [_Shelf() for _ in wanted]
        self._pools = [_Shelf() for _ in wanted]
        self._waiting: list[list[tuple[int, int]]] = [[] for _ in wanted]
        self._aside: dict[int, list[tuple[int, Thing]]] = {}
        rows = zip(rack_left.tolist(), place[question.pool].tolist(), strict=True)
        for row, (left, pool) in enumerate(rows):
            self._racks[self._pool_type[pool]].put(left, (pool, row))
        for pool, left in enumerate(self._pool_left):
            self._pools[self._pool_type[pool]].put(left, (pool, -1))

    def take(self, level: int, size: int, types: list[int], gangs: int) -> list[int]:
        """Serve gangs that are alike one after the other; give the home of each."""
        first, take = (
            (self._first_rack, self._take_rack)
            if level == RACK
            else (self._first_pool, self._take_pool)
        )
        for kind in types:
            self._come_back(kind, size)
        # What a gang takes changes what its own type offers, and no other.
        offers = [(*best, kind) for kind in types if (best := first(kind, size))]
        heapify(offers)
        homes: list[int] = []
        while offers and len(homes) < gangs:
            left, thing, kind = offers[0]
            homes.append(take(kind, left, thing, size))
            best = first(kind, size)
            if best:
                heapreplace(offers, (*best, kind))
            else:
                heappop(offers)
        return homes + [NOWHERE] * (gangs - len(homes))

    def _first_rack(self, kind: int, size: int) -> tuple[int, Thing] | None:
        def refuses(left: int, thing: Thing) -> bool:
            pool, _ = thing
            if self._pool_left[pool] >= size:
                return False
            if pool not in self._aside:
                self._aside[pool] = []
                heappush(self._waiting[kind], (-self._pool_left[pool], pool))
            self._aside[pool].append((left, thing))
            return True

        return self._racks[kind].first(size, refuses)

    def _come_back(self, kind: int, size: int) -> None:
        """Put racks on the shelf again whose pool has so much left."""
        waiting = self._waiting[kind]
        while waiting and -waiting[0][0] >= size:
            _, pool = heappop(waiting)
            for left, thing in self._aside.pop(pool):
                self._racks[kind].put(left, thing)

    def _first_pool(self, kind: int, size: int) -> tuple[int, Thing] | None:
        # A pool is put on the shelf anew whenever less is left of it.
        return self._pools[kind].first(size, lambda left, thing: self._pool_left[thing[0]] != left)

    def _take_rack(self, kind: int, left: int, thing: Thing, size: int) -> int:
        pool, row = thing
        self._racks[kind].take_off(left)
        self._racks[kind].put(left - size, thing)
        self._draw(kind, pool, size)
        return row

    def _take_pool(self, kind: int, left: int, thing: Thing, size: int) -> int:
        pool, _ = thing
        self._pools[kind].take_off(left)
        self._draw(kind, pool, size)
        return self._pools_in_place[pool]

    def _draw(self, kind: int, pool: int, size: int) -> None:
        self._pool_left[pool] -= size
        self._pools[kind].put(self._pool_left[pool], (pool, -1))
