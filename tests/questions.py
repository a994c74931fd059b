"""Tiny questions at random, and what trying everything finds."""

import random
from itertools import product

import numpy as np

from models.fleet import Ints
from rebalancer.draft import Cap, Choice, Limit, Shape, Skew
from rebalancer.limits import Limits
from rebalancer.objective import Step
from rebalancer.question import Question
from rebalancer.terms import Bins, Expression, Feature, Flag, Line, Peak, distance

UNLIMITED = Limits(None)


def ints(*values: int) -> Ints:
    return np.array(values, dtype=np.int64)


class Tiny:
    """Up to six lanes in one or two islands that nothing links; ``legal`` is all there is."""

    def __init__(
        self,
        seed: int,
        *,
        islands: int = 2,
        plain: bool = False,
        last_links: bool = False,
        moves: int | None = None,
    ) -> None:
        chance = self.chance = random.Random(seed)
        sizes = [chance.randint(1, 3 if islands > 1 else 6) for _ in range(islands)]
        self.size = sum(sizes)
        self.plain = plain
        ends = np.cumsum(sizes)
        rows = [np.arange(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        self.islands = rows
        most = np.array([chance.randint(1, 2) for _ in range(self.size)], dtype=np.int64)
        limits = tuple(limit for lanes in rows for limit in self.limits(lanes, most))
        if moves is not None:
            limits = (*limits, Cap(np.arange(self.size), moves))
        self.shape = Shape(most, limits)
        every = product(*(range(m + 1) for m in most.tolist()))
        self.legal = [counts for counts in map(np.array, every) if self.shape.holds(counts)]
        steps = [self.expression(rows) for _ in range(chance.randint(1, 3))]
        last = self.expression(rows, large=True)
        if last_links:
            linking = distance(chance.randint(-3, 3), 2, rows[0], rows[-1])
            last = Expression(last.per_lane, (*last.features, (3, linking)))
        single = Expression(last.per_lane, last.features[:1])
        self.question = Question(
            self.shape,
            tuple(Step(None, expression, -(2**40)) for expression in [*steps, last]),
            (single,),
            chance.choice(self.legal),
            Limits(None, None, 1, seed),
        )

    def some(self, lanes: Ints) -> Ints:
        return np.array([lane for lane in lanes.tolist() if self.chance.random() < 0.6], np.int64)

    def limits(self, lanes: Ints, most: Ints) -> list[Limit]:
        chance = self.chance
        # Two families of sets without overlap, as groups and needs are.
        found: list[Limit] = []
        for _ in range(2):
            parts: dict[int, list[int]] = {}
            for lane in lanes.tolist():
                parts.setdefault(chance.randrange(2), []).append(lane)
            found += [Cap(ints(*part), chance.randint(0, 3)) for part in parts.values()]
        if self.plain:
            return found
        if chance.random() < 0.5 and len(lanes) > 1:
            cut = chance.randint(1, len(lanes) - 1)
            options = (lanes[:cut], lanes[cut:])
            found.append(Choice(0, chance.randint(1, 3), options))
        if chance.random() < 0.5:
            own = self.some(lanes)
            place = np.array([chance.randrange(3) for _ in own], dtype=np.int64)
            others = [self.some(np.setdiff1d(lanes, own)) for _ in range(3)]
            openers = tuple(
                np.union1d(own[place == at], others[at]).astype(np.int64) for at in range(3)
            )
            held = np.array([chance.randrange(2) for _ in range(3)], dtype=np.int64)
            known = np.array([chance.random() < 0.5 for _ in range(3)])
            if not known.any() and held.any():
                known = held > 0
            found.append(Skew(chance.randint(1, 2), own, place, held, known, openers))
        return found

    def expression(self, rows: list[Ints], *, large: bool = False) -> Expression:
        chance = self.chance
        reach = 50 if large else 1
        per_lane = [chance.randint(-reach, reach) for _ in range(self.size)]
        features: list[tuple[int, Feature]] = []
        if not self.plain:
            for lanes in rows:
                if chance.random() < 0.3:
                    features.append((chance.randint(-9, 9), Flag(self.some(lanes))))
                if chance.random() < 0.3:
                    features.append((chance.randint(0, 5), self.peak(lanes)))
                if chance.random() < 0.2:
                    bins = Bins(self.some(lanes), chance.randint(1, 3))
                    features.append((chance.randint(0, 9), bins))
        return Expression(np.array(per_lane, dtype=np.int64), tuple(features))

    def peak(self, lanes: Ints) -> Peak:
        chance = self.chance
        lines = []
        for _ in range(chance.randint(1, 3)):
            own = self.some(lanes)
            slopes = np.array([chance.randint(-2, 2) for _ in own], dtype=np.int64)
            lines.append(Line(chance.randint(-3, 3), own, slopes))
        return Peak(tuple(lines))

    def best(self) -> tuple[int, ...]:
        """Give the least key of all legal counts."""
        return min(map(self.question.key, self.legal))

    def least(self, number: int, key: tuple[int, ...]) -> int:
        """Give the least value of a step where those before are at most as in the key."""
        keys = map(self.question.key, self.legal)
        return min(k[number] for k in keys if all(map(int.__le__, k[:number], key[:number])))
