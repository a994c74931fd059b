"""A plan by given weights, and what every goal is worth to it, those of weight 0 among them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from models.fleet import Ints
from models.plan import Plan
from models.rules import Goal
from rebalancer.carried import carried, pairs_of
from rebalancer.draft import Draft, nothing
from rebalancer.goals.catalogue import GOALS
from rebalancer.limits import Limits
from rebalancer.problems.assignment import draft_of
from rebalancer.snapshot import Snapshot
from rebalancer.solve import solve


@dataclass(frozen=True, eq=False, slots=True)
class Weighed:
    """A plan and its figures.

    Attributes
    ----------
    drained, created
        Machines that the plan drains and creates.
    before, after
        The value of each goal in its own unit, but of those for which the snapshot is too coarse.
    """

    plan: Plan
    drained: int
    created: int
    before: Mapping[Goal, float]
    after: Mapping[Goal, float]


def weighed(snapshot: Snapshot, weights: Mapping[Goal, float], limits: Limits) -> Weighed:
    """Plan by these weights, USD a unit, and value every goal."""
    plan = solve(snapshot, weights, limits)
    draft, counts = _drawn(snapshot, plan)
    terms = {goal: GOALS[goal](draft) for goal in GOALS if goal not in snapshot.without}
    # What the plan says itself goes before; it says nothing of goals of weight 0.
    return Weighed(
        plan=plan,
        drained=int(counts[draft.drains()].sum()),
        created=int(counts[draft.creates()].sum()),
        before={goal: each.value(nothing(draft)) for goal, each in terms.items()}
        | {goal: each.before for goal, each in plan.goals.items()},
        after={goal: each.value(counts) for goal, each in terms.items()}
        | {goal: each.after for goal, each in plan.goals.items()},
    )


def _drawn(snapshot: Snapshot, plan: Plan) -> tuple[Draft, Ints]:
    """Draw up only what a plan moves, and give its counts."""
    group, demand = pairs_of(snapshot, plan)
    chosen = np.zeros((len(snapshot.supply), len(snapshot.demand)), dtype=np.bool_)
    chosen[group, demand] = True
    draft = draft_of(snapshot, chosen)
    return draft, carried(draft, plan)
