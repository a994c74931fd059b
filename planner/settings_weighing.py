"""What becomes of a plan when one goal weighs more or less: real solves, alike on every machine."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hotpath.standing import standing_of
from models.fleet import Fleet
from models.plan import Plan
from models.rules import Goal
from models.settings import Settings
from planner.deciding import decide_shards
from rebalancer.goals.catalogue import GOALS
from rebalancer.limits import Limits
from rebalancer.question import believed
from rebalancer.search import search
from rebalancer.settings import goals_from, rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import begin, plan_of

LIMITS = Limits(seconds=None, work=100.0, workers=1, seed=0)
"""No clock and no chance. The example of 1,523 nodes is proven optimal with 0.05 of this work."""


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """A fleet up to where its plans begin, which weights have no say in."""

    fleet: Fleet
    snapshot: Snapshot
    weights: Mapping[Goal, float]


@dataclass(frozen=True, eq=False, slots=True)
class Weighed:
    """A plan, and what every goal is after it, those that are switched off among them."""

    plan: Plan
    values: Mapping[Goal, float]


def ground_of(fleet: Fleet, settings: Settings | None = None) -> Ground:
    """Cycle all shards of a fleet, and draw up what stays short."""
    settings = settings or Settings()
    decided = decide_shards(fleet, settings, range(len(fleet.shards)))
    snapshot = snapshot_of(standing_of(fleet, decided), rules_from(settings))
    return Ground(fleet, snapshot, goals_from(settings))


def weighed(ground: Ground, goal: Goal | None = None, factor: float = 1.0) -> Weighed:
    """Plan with one goal at ``factor`` times its weight."""
    weights = {each: usd * factor if each is goal else usd for each, usd in ground.weights.items()}
    task = begin(ground.snapshot, weights, LIMITS)
    found, _ = believed(task.question, search(task.question))
    plan, _ = plan_of(task, found)
    values = {each: GOALS[each](task.draft).value(found.counts) for each in Goal}
    return Weighed(replace(plan, seconds=0.0), values)
