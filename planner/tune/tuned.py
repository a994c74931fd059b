"""A finished sweep, as it is shown and written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.rules import Goal
from planner.tune.judgement import Judgement
from planner.tune.space import Range


@dataclass(frozen=True, eq=False, slots=True)
class Tuned:
    """What was swept over which fleets, and what that shows.

    Attributes
    ----------
    fleets
        Name and digest of each snapshot, in the order of ``Result.effects``.
    weights
        The present weight of every goal, USD a unit.
    """

    fleets: Sequence[tuple[str, str]]
    ranges: Sequence[Range]
    weights: Mapping[Goal, float]
    judgement: Judgement

    @property
    def swept(self) -> tuple[Goal, ...]:
        """Give the goals whose weights were swept."""
        return tuple(each.goal for each in self.ranges)

    def rows_alike(self) -> list[list[int]]:
        """Give the rows of trials with the same result together, the first one first."""
        groups: dict[bytes, list[int]] = {}
        for row, vector in enumerate(self.judgement.totals.vectors):
            groups.setdefault(vector.tobytes(), []).append(row)
        return list(groups.values())

    def row_for(self, rows: Sequence[int]) -> int:
        """Give the row that stands for trials with one result: the marked one, else the first."""
        marked = [row for row in (self.judgement.knee, self.judgement.present) if row in rows]
        return next((row for row in marked if row is not None), rows[0])
