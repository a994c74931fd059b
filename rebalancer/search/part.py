"""A part of a question: some lanes free, every other one held at its count."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from models.fleet import Ints, Mask
from rebalancer.draft import Cap, Choice, Limit, Relocation, Shape, Skew
from rebalancer.index import Index
from rebalancer.limits import Limits
from rebalancer.objective import Step
from rebalancer.question import Question
from rebalancer.search.components import touched
from rebalancer.terms import Bins, Expression, Feature, Flag, Line, Peak

OUTSIDE = -1
"""Where a lane of the whole stands in a part that does not hold it."""


class Parts:
    """Cuts parts out of one question, each at a cost that depends on its size only.

    Attributes
    ----------
    limits
        The lanes that each limit of the whole reads.
    ties
        The lanes of each gang, each spread and each feature in bins: those in use are free
        together or not at all.
    """

    def __init__(self, whole: Question) -> None:
        self.whole = whole
        size = len(whole.shape)
        self.limits = Index.of([touched(limit) for limit in whole.shape.limits], size)
        expressions = [*(step.expression for step in whole.steps), *whole.singles]
        pairs = [pair for expression in expressions for pair in expression.features]
        # Steps and singles share features, and the solver knows one again by its identity.
        known = {id(feature): feature for _, feature in pairs}
        self._features = tuple(known.values())
        bins = [feature for feature in self._features if isinstance(feature, Bins)]
        ties = [
            limit for limit in whole.shape.limits if isinstance(limit, Choice | Skew | Relocation)
        ]
        own = [*(_own(limit) for limit in ties), *(feature.lanes for feature in bins)]
        self.ties = Index.of(own, size)
        self._of_lanes = Index.of([touched(feature) for feature in self._features], size)
        self._factors = [_factors(expression) for expression in expressions]
        self._place = np.full(size, OUTSIDE, dtype=np.int64)

    def closed(self, lanes: Ints, counts: Ints) -> Ints:
        """Add the used lanes that a gang, a spread or bins tie to these; ascending, ``(F,)``."""
        while True:
            tied = self.ties.lanes_of(self.ties.of_lanes(lanes))
            more = np.union1d(lanes, tied[counts[tied] > 0])
            if len(more) == len(lanes):
                return more
            lanes = more

    def part(self, lanes: Ints, counts: Ints, limits: Limits) -> Question:
        """Give the question of lanes that are ``closed``, the others held at ``counts``, ``(X,)``.

        Its answers are those that keep every limit of the whole, put in the place of the counts;
        its values differ from those of the whole by what does not change.
        """
        self._place[lanes] = np.arange(len(lanes))
        shape = self.whole.shape
        cut = _Cut(self._place, counts, counts[lanes], shape.most[lanes])
        found = [shape.limits[limit] for limit in self.limits.of_lanes(lanes).tolist()]
        part = Shape(shape.most[lanes], tuple(kept for limit in found for kept in cut.limit(limit)))
        touching = [self._features[at] for at in self._of_lanes.of_lanes(lanes).tolist()]
        features = [(id(old), new) for old in touching for new in cut.feature(old)]
        steps = tuple(
            Step(step.priority, expression, least(expression, part.most))
            for step, factors in zip(self.whole.steps, self._factors, strict=False)
            for expression in (_expression(step.expression, factors, features, lanes),)
        )
        of_singles = self._factors[len(self.whole.steps) :]
        singles = tuple(
            _expression(single, factors, features, lanes)
            for single, factors in zip(self.whole.singles, of_singles, strict=True)
        )
        self._place[lanes] = OUTSIDE
        return Question(part, steps, singles, counts[lanes], limits)


def least(expression: Expression, most: Ints) -> int:
    """Bound an expression from below where no lane exceeds ``most``, ``(X,)``."""
    bound = int((np.minimum(expression.per_lane, 0) * most).sum())
    for factor, feature in expression.features:
        match feature:
            case Flag():
                bound += min(factor, 0)
            case Peak():
                low, high = feature.range(most)
                bound += min(factor * low, factor * high)
            case Bins():
                bound += min(0, factor * feature.farthest(most))
    return bound


def _factors(expression: Expression) -> dict[int, int]:
    factors: dict[int, int] = {}
    for factor, feature in expression.features:
        factors[id(feature)] = factors.get(id(feature), 0) + factor
    return factors


def _expression(
    whole: Expression,
    factors: dict[int, int],
    features: list[tuple[int, Feature | Line]],
    lanes: Ints,
) -> Expression:
    per_lane = whole.per_lane[lanes]
    kept: list[tuple[int, Feature]] = []
    for factor, feature in ((factors[old], new) for old, new in features if old in factors):
        if isinstance(feature, Line):
            np.add.at(per_lane, feature.lanes, factor * feature.slopes)
        else:
            kept.append((factor, feature))
    return Expression(per_lane, tuple(kept))


def _own(limit: Choice | Skew | Relocation) -> Ints:
    """Give the lanes of a gang, a spread or a gang that may move."""
    return limit.lanes if isinstance(limit, Skew) else touched(limit)


@dataclass(frozen=True, eq=False, slots=True)
class _Cut:
    """``place``, ``(X,)``, is where a free lane stands in the part, else OUTSIDE.

    ``start`` and ``most``, ``(F,)``, are the count and the largest count of each free lane.
    """

    place: Ints
    counts: Ints
    start: Ints
    most: Ints

    def split(self, lanes: Ints) -> tuple[Ints, int]:
        """Give the places of the free ones, and the sum of the counts of the others."""
        places = self.place[lanes]
        is_free = places != OUTSIDE
        return places[is_free], int(self.counts[lanes[~is_free]].sum())

    def limit(self, limit: Limit) -> Iterator[Limit]:
        match limit:
            case Cap():
                free, held = self.split(limit.lanes)
                yield Cap(free, limit.most - held)
            case Choice():
                options = [self.split(option)[0] for option in limit.options]
                kept = tuple(option for option in options if len(option))
                if kept:
                    yield Choice(limit.demand, limit.amount, kept)
            case Skew():
                yield from self.skew(limit)
            case Relocation():
                moving, _ = self.split(limit.moving)
                takers = tuple(self.split(lanes)[0] for lanes in limit.takers)
                yield replace(limit, moving=moving, takers=takers)

    def skew(self, skew: Skew) -> Iterator[Limit]:
        """Give the spread where its own used lanes are free, else what others may open."""
        openers = [self.split(lanes) for lanes in skew.openers]
        known = skew.known | np.array([held > 0 for _, held in openers], dtype=np.bool_)
        free, places = self.place[skew.lanes], skew.place
        is_own = free != OUTSIDE
        if is_own.any():
            others = tuple(lanes for lanes, _ in openers)
            yield Skew(skew.skew, free[is_own], places[is_own], skew.held, known, others)
            return
        arriving = skew.arriving(self.counts)
        if not arriving.any():
            return
        total = skew.held + arriving
        # A value that opens with fewer than this would be too far below where machines arrive.
        fewest = int(total[arriving > 0].max()) - skew.skew
        for at in np.flatnonzero(~known & (total < fewest)).tolist():
            yield Cap(openers[at][0], 0)

    def feature(self, feature: Feature) -> Iterator[Feature | Line]:
        """Give the feature, less a constant; a line where it is one, nothing where it is settled.

        Most peaks are a line over what a few lanes can change: the rest of 1,500 in a neighbourhood
        of 250 lanes was most of its time.
        """
        match feature:
            case Flag():
                free, held = self.split(feature.lanes)
                if len(free) and not held:
                    yield Flag(free)
            case Bins():
                free, _ = self.split(feature.lanes)
                if len(free):
                    yield Bins(free, feature.size)
            case Peak():
                lines = self.lines(feature)
                yield self.highest(lines) or Peak(lines)

    def lines(self, peak: Peak) -> tuple[Line, ...]:
        """Give the lines of a peak; those that share their lanes go on to share them."""
        known: dict[int, tuple[Ints, Mask, Ints]] = {}
        lines = []
        for line in peak.lines:
            if id(line.lanes) not in known:
                places = self.place[line.lanes]
                is_free = places != OUTSIDE
                known[id(line.lanes)] = places[is_free], is_free, self.counts[line.lanes[~is_free]]
            places, is_free, held = known[id(line.lanes)]
            offset = line.offset + int(line.slopes[~is_free] @ held)
            lines.append(Line(offset, places, line.slopes[is_free]))
        return tuple(lines)

    def highest(self, lines: tuple[Line, ...]) -> Line | None:
        """Give the line that is above all others whatever goes over the free lanes, if one is."""
        if any(line.lanes is not lines[0].lanes for line in lines):
            return None
        top = max(lines, key=lambda line: line.value(self.start))
        reach = self.most[top.lanes]
        for line in lines:
            least = int((np.minimum(top.slopes - line.slopes, 0) * reach).sum())
            if top.offset - line.offset + least < 0:
                return None
        return top
