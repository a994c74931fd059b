"""The peaks of an expression as one table of lines, and weights on them that make it linear.

    sum over peaks i of w_i max over its lines j of y_ij   >=   sum over i, j of u_ij y_ij
    for all u_ij >= 0 with sum over j of u_ij = w_i

Which weights bound best is found by subgradients [Held, Wolfe and Crowder 1974, Mathematical
Programming 6]: where a plan of least cost lies above its weighted lines, the higher ones get more.
"""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Reals
from rebalancer.terms import Expression, Peak


@dataclass(frozen=True, eq=False, slots=True)
class Lines:
    """``L`` lines of ``P`` peaks, with ``E`` slopes in all.

    Attributes
    ----------
    factor, starts
        Peak i weighs ``factor[i]`` and has the lines from ``starts[i]`` on; both ``(P,)``.
    peak, offset
        Shape ``(L,)``. The peak of each line, and its value at nothing.
    line, lanes, slopes
        Shape ``(E,)``. What a machine on a lane adds to a line.
    """

    factor: Ints
    starts: Ints
    peak: Ints
    offset: Ints
    line: Ints
    lanes: Ints
    slopes: Ints

    @staticmethod
    def of(expression: Expression) -> "Lines":
        """Give the lines of the peaks that have a weight."""
        peaks = [(w, f) for w, f in expression.features if w > 0 and isinstance(f, Peak)]
        lines = [line for _, peak in peaks for line in peak.lines]
        lengths = np.array([len(peak.lines) for _, peak in peaks], dtype=np.int64)
        none = np.empty(0, dtype=np.int64)
        return Lines(
            factor=np.array([factor for factor, _ in peaks], dtype=np.int64),
            starts=np.cumsum(lengths) - lengths,
            peak=np.repeat(np.arange(len(peaks), dtype=np.int64), lengths),
            offset=np.array([line.offset for line in lines], dtype=np.int64),
            line=np.repeat(np.arange(len(lines)), [len(line.lanes) for line in lines]),
            lanes=np.concatenate([*(line.lanes for line in lines), none]),
            slopes=np.concatenate([*(line.slopes for line in lines), none]),
        )

    def __len__(self) -> int:
        return len(self.offset)

    def values(self, counts: Ints) -> Ints:
        """Give the value of each line, ``(L,)``, at counts of machines per lane, ``(X,)``."""
        values = self.offset.copy()
        np.add.at(values, self.line, self.slopes * counts[self.lanes])
        return values

    def linear(self, weights: Ints, lanes: int) -> tuple[Ints, int]:
        """Give the slope of each of so many lanes and the constant that weights, ``(L,)``, give."""
        per_lane = np.zeros(lanes, dtype=np.int64)
        np.add.at(per_lane, self.lanes, self.slopes * weights[self.line])
        return per_lane, int(weights @ self.offset)

    def highest(self, counts: Ints) -> Ints:
        """Give all weight, ``(L,)``, to the first line of each peak that is highest there."""
        values = self.values(counts)
        order = np.lexsort((-values, self.peak))
        weights = np.zeros(len(self), dtype=np.int64)
        weights[order[self.starts]] = self.factor
        return weights

    def moved(self, weights: Ints, counts: Ints, missing: int) -> Ints:
        """Give weights, ``(L,)``, that would make up for what is missing at these counts."""
        values = self.values(counts).astype(np.float64)
        sizes = np.diff(np.append(self.starts, len(self)))
        if not len(self):
            return weights
        slope = values - (np.add.reduceat(values, self.starts) / sizes)[self.peak]
        length = float(slope @ slope)
        if not length:
            return weights
        return self._within(weights + max(missing, 0) / length * slope)

    def _within(self, weights: Reals) -> Ints:
        """Give the nearest whole weights that are none below 0 and sum up to the factors.

        [Held, Wolfe and Crowder 1974]: from the largest of a peak on, as many as stay above what
        all of them are lowered by.
        """
        order = np.lexsort((-weights, self.peak))
        highest = weights[order]
        total = np.cumsum(highest)
        before = (total - highest)[self.starts]
        rank = np.arange(1, len(order) + 1) - self.starts[self.peak[order]]
        lowered = (total - before[self.peak[order]] - self.factor[self.peak[order]]) / rank
        stays = np.add.reduceat((highest > lowered).astype(np.int64), self.starts)
        by = lowered[self.starts + np.maximum(stays, 1) - 1]
        whole = np.floor(np.maximum(weights - by[self.peak], 0.0)).astype(np.int64)
        whole[order[self.starts]] += self.factor - np.add.reduceat(whole, self.starts)
        return whole
