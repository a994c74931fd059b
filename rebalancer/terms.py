"""Values that depend on how many machines go each way: what goals and objectives are made of.

    value(x) = constant + sum over lanes l of c_l x_l + sum over i of w_i f_i(x)

with features f_i of three forms, in whole numbers:

    Flag    1 where the sum of x over some lanes is above 0, else 0      a gang is broken
    Bins    ceil((sum of x over some lanes) / size); w_i >= 0            racks are opened
    Peak    max over lines j of (a_j + sum of b_jl x_l); w_i >= 0        an abs() has two lines

So a value is written down once, computed from counts and handed to the solver term by term.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Reals


@dataclass(frozen=True, eq=False, slots=True)
class Flag:
    """Whether any machine goes over ``lanes``: 1 or 0."""

    lanes: Ints

    def value(self, counts: Ints) -> int:
        """Give the value at counts of machines per lane, ``(X,)``."""
        return int(counts[self.lanes].any())

    def farthest(self, most: Ints) -> int:
        """Bound the absolute value where no lane exceeds ``most``, ``(X,)``."""
        return 1


@dataclass(frozen=True, eq=False, slots=True)
class Bins:
    """How many bins of ``size`` the machines over ``lanes`` need. Only to be weighed above 0."""

    lanes: Ints
    size: int

    def value(self, counts: Ints) -> int:
        """Give the value at counts of machines per lane, ``(X,)``."""
        return -(-int(counts[self.lanes].sum()) // self.size)

    def farthest(self, most: Ints) -> int:
        """Bound the value where no lane exceeds ``most``, ``(X,)``."""
        return self.value(most)


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """``offset + sum over lanes of slope * x``; ``lanes`` and ``slopes`` have one shape."""

    offset: int
    lanes: Ints
    slopes: Ints

    def value(self, counts: Ints) -> int:
        """Give the value at counts of machines per lane, ``(X,)``."""
        return self.offset + int(self.slopes @ counts[self.lanes])

    def range(self, most: Ints) -> tuple[int, int]:
        """Bound the value from below and above where no lane exceeds ``most``, ``(X,)``."""
        most = most[self.lanes]
        # Sums of all and of their sizes, in half the time of picking out those on either side of 0.
        total, size = int(self.slopes @ most), int(np.abs(self.slopes) @ most)
        return self.offset + (total - size) // 2, self.offset + (total + size) // 2


@dataclass(frozen=True, eq=False, slots=True)
class Peak:
    """The largest of some lines, at least one. Only to be weighed at 0 or above."""

    lines: tuple[Line, ...]

    def value(self, counts: Ints) -> int:
        """Give the value at counts of machines per lane, ``(X,)``."""
        return max(line.value(counts) for line in self.lines)

    def range(self, most: Ints) -> tuple[int, int]:
        """Bound the value from below and above where no lane exceeds ``most``, ``(X,)``."""
        ranges = [line.range(most) for line in self.lines]
        return max(low for low, _ in ranges), max(high for _, high in ranges)

    def farthest(self, most: Ints) -> int:
        """Bound the absolute value where no lane exceeds ``most``, ``(X,)``."""
        return max(map(abs, self.range(most)))


Feature = Flag | Bins | Peak


@dataclass(frozen=True, eq=False, slots=True)
class Terms:
    """A value in a goal's own unit; ``per_lane`` has shape ``(X,)``, features come with weights."""

    per_lane: Reals
    constant: float = 0.0
    features: tuple[tuple[float, Feature], ...] = ()

    def value(self, counts: Ints) -> float:
        """Give the value at counts of machines per lane, ``(X,)``."""
        value = self.constant + float(self.per_lane @ counts)
        return value + sum(weight * feature.value(counts) for weight, feature in self.features)


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """The same in whole units, without a constant."""

    per_lane: Ints
    features: tuple[tuple[int, Feature], ...] = ()

    def value(self, counts: Ints) -> int:
        """Give the value at counts of machines per lane, ``(X,)``."""
        value = int(self.per_lane @ counts)
        return value + sum(weight * feature.value(counts) for weight, feature in self.features)


def distance(offset: int, slope: int, enter: Ints, leave: Ints) -> Peak:
    """Give ``abs(offset + slope * (sum over enter - sum over leave))``, for a slope above 0.

    Beside the two arms there is the chord over the fraction where they would meet at 0: without it
    a relaxation takes every share for fair, and 20 shards of 10 classes stay 2% open after 17 s.
    """
    left = -offset // slope
    at_left, at_right = abs(offset + slope * left), abs(offset + slope * (left + 1))
    rise = at_right - at_left
    lanes = np.concatenate([enter, leave])
    signs = np.repeat(np.array([1, -1], dtype=np.int64), [len(enter), len(leave)])
    arms = ((offset, slope), (-offset, -slope), (at_left - rise * left, rise))
    return Peak(tuple(Line(start, lanes, factor * signs) for start, factor in arms))
