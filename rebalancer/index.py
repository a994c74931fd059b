"""Which sets of lanes hold which lanes, looked up from either side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints


@dataclass(frozen=True, eq=False, slots=True)
class Index:
    """``S`` sets over ``X`` lanes, ``E`` memberships in all.

    Attributes
    ----------
    starts, lanes
        Set s holds ``lanes[starts[s]:starts[s + 1]]``; shapes ``(S + 1,)`` and ``(E,)``.
    lane_starts, sets
        Lane l is in ``sets[lane_starts[l]:lane_starts[l + 1]]``, ascending; ``(X + 1,)``, ``(E,)``.
    """

    starts: Ints
    lanes: Ints
    lane_starts: Ints
    sets: Ints

    @staticmethod
    def of(sets: Sequence[Ints], size: int) -> "Index":
        """Index sets of lanes below ``size``."""
        lengths = np.array([len(lanes) for lanes in sets], dtype=np.int64)
        lanes = np.concatenate([*sets, np.empty(0, dtype=np.int64)]).astype(np.int64)
        owner = np.repeat(np.arange(len(sets), dtype=np.int64), lengths)
        order = np.argsort(lanes, kind="stable")
        per_lane = np.bincount(lanes, minlength=size)
        return Index(_starts(lengths), lanes, _starts(per_lane), owner[order])

    @property
    def owner(self) -> Ints:
        """Give the set of each membership, ``(E,)``, as ``lanes`` gives its lane."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int64), np.diff(self.starts))

    def of_lane(self, lane: int) -> Ints:
        """Give the sets that hold the lane, ascending."""
        return self.sets[self.lane_starts[lane] : self.lane_starts[lane + 1]]

    def of_lanes(self, lanes: Ints) -> Ints:
        """Give the sets that hold any of the lanes, each once, ascending."""
        return np.unique(_pick(self.sets, self.lane_starts, lanes))

    def least_of_lanes(self, of_set: Ints, lanes: Ints, most: Ints) -> Ints:
        """Give for each of the lanes the least number of its sets, and not above its ``most``."""
        lengths = self.lane_starts[lanes + 1] - self.lane_starts[lanes]
        least = most.copy()
        numbers = of_set[_pick(self.sets, self.lane_starts, lanes)]
        np.minimum.at(least, np.repeat(np.arange(len(lanes)), lengths), numbers)
        return least

    def lanes_of(self, sets: Ints) -> Ints:
        """Give the lanes of all these sets, set by set; one of two sets comes twice."""
        return _pick(self.lanes, self.starts, sets)


def _starts(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _pick(values: Ints, starts: Ints, rows: Ints) -> Ints:
    """Give the values of some rows of a table in compressed form, one after the other."""
    lengths = starts[rows + 1] - starts[rows]
    before = np.cumsum(lengths) - lengths
    at = np.arange(int(lengths.sum()), dtype=np.int64)
    picked: Ints = values[at + np.repeat(starts[rows] - before, lengths)]
    return picked
