"""Why a need stays short at the end of a plan, and the smallest changes that would serve it.

Where a fleet is small enough, each change is made to a copy of it and planned for, as long as there
is time: those that do not serve the need are mended or left out.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from models.columns import fleet_of
from models.fleet import Fleet
from models.rows import FleetRows
from models.rows_of_fleet import rows_of
from models.settings import Settings
from planner.deciding import standing_after_cycles
from planner.planning import plan_fleet
from rebalancer.explain.apply import applied, min_gap_of
from rebalancer.explain.change import Change
from rebalancer.explain.conflict import Conflict
from rebalancer.explain.scene import lacks_at_end, scene_of
from rebalancer.explain.short import lacks_for_good, why_short
from rebalancer.explain.wording import conflict_words
from rebalancer.limits import Limits
from rebalancer.settings import goals_from, rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback

MOST_MACHINES = 20_000
"""A fleet of more machines is not planned for again and again: reading so many rows takes 0.5 s."""

TRYING_SECONDS = 2.0
"""For all tries together; the plan that comes first may take as long."""

Clock = Callable[[], float]


@dataclass(frozen=True, eq=False, slots=True)
class WhyShort:
    """What a need lacks at the end of a plan, in words, the conflict and the changes in order.

    ``conflict`` is None where nothing has to change.
    """

    deficit: int
    words: str
    conflict: Conflict | None = None
    changes: tuple[Change, ...] = ()


def why_short_of(
    fleet: Fleet, settings: Settings, need: int, clock: Clock = time.monotonic
) -> WhyShort:
    """Tell of one need at the end of a plan what it lacks and what would serve it."""
    quick = _within(settings, TRYING_SECONDS)
    planned = plan_fleet(fleet, quick)
    rules = rules_from(settings)
    scene = scene_of(planned.standing, planned.plan.moves, need, rules)
    if not scene.lacks:
        return WhyShort(0, _why_served(planned.standing.waiting[need]))
    trying = None
    if len(fleet.machines) <= MOST_MACHINES:
        trying = _Trying(rows_of(fleet), settings, need, clock, clock() + TRYING_SECONDS)
    found = why_short(scene, trying)
    if found.conflict is None:
        words = f"It lacks {scene.lacks}, and nothing has to change: the next cycles find them."
        return WhyShort(scene.lacks, words)
    words = conflict_words(found.conflict, scene.lacks)
    return WhyShort(scene.lacks, words, found.conflict, found.changes)


def served_whole() -> WhyShort:
    """Tell of a need that its own cycle serves, and takes nothing from."""
    return WhyShort(0, _why_served(0))


@dataclass(frozen=True, eq=False, slots=True)
class _Trying:
    """Plans for a fleet with a change made; None where no time is left to, or it is too large."""

    rows: FleetRows
    settings: Settings
    need: int
    clock: Clock
    ends: float

    def _machines(self, change: Change) -> int:
        """Count the machines of the fleet with the change made, without making it."""
        return sum(row.count for row in self.rows.machines) + change.machines_added

    def __call__(self, change: Change) -> int | None:
        if self.clock() >= self.ends or self._machines(change) > MOST_MACHINES:
            return None
        asked = self.rows.needs[self.need]
        fleet = fleet_of(applied(self.rows, asked.cluster, asked.id, change))
        settings = _with_gap(self.settings, min_gap_of(change))
        # A cycle may be enough, and the greedy plan; a search is the last that is asked.
        standing = standing_after_cycles(fleet, settings)
        if not lacks_at_end(standing, (), self.need) and not standing.short.any():
            return 0
        rules, goals = rules_from(settings), goals_from(settings)
        snapshot = snapshot_of(standing, rules)
        moves = fallback(snapshot, goals, Limits(None, None, 1, 0, self.clock)).moves
        lacks = lacks_for_good(scene_of(standing, moves, self.need, rules))
        left = self.ends - self.clock()
        if not lacks or left <= 0 or not snapshot.eligible.any():
            return lacks
        planned = plan_fleet(fleet, _within(settings, left))
        moves = planned.plan.moves
        return lacks_for_good(scene_of(planned.standing, moves, self.need, rules))


def _within(settings: Settings, seconds: float) -> Settings:
    deadline = min(settings.rebalance.deadline, seconds)
    rebalance = settings.rebalance.model_copy(update={"deadline": deadline})
    return settings.model_copy(update={"rebalance": rebalance})


def _with_gap(settings: Settings, min_gap: int | None) -> Settings:
    if min_gap is None:
        return settings
    rebalance = settings.rebalance.model_copy(update={"min_gap": min_gap})
    return settings.model_copy(update={"rebalance": rebalance})


def _why_served(waiting: int) -> str:
    if waiting:
        return (
            f"It lacks none: {waiting} of its machines are still draining, which takes time only."
        )
    return "It is served whole: nothing has to change."
