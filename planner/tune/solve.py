"""Solve one trial for every snapshot: pure but for the clock, and the same wherever it runs."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from models.audit import audit_plan, require
from models.fleet import Ints
from models.outcome import Outcome
from models.plan import Plan
from planner.tune.ground import Ground, unpacked
from planner.tune.trial import Reached, Result, Trial
from rebalancer.carried import carried, pairs_of
from rebalancer.draft import Draft, nothing
from rebalancer.goals.catalogue import GOALS
from rebalancer.limits import Limits
from rebalancer.problems.assignment import draft_of
from rebalancer.settings import goals_from
from rebalancer.snapshot import Snapshot
from rebalancer.solve import solve

WORK_A_SECOND = 0.25
"""Of the solver's own measure, for each second of the deadline."""

PATIENCE = 10.0
"""The clock stops a solve only after so many times the deadline; until then its work counts."""


def solved(ground: Ground, trial: Trial, clock: Callable[[], float] = time.monotonic) -> Reached:
    """Plan for one snapshot by the weights of a trial.

    One thread, and the deadline of the settings as a measure of work, so that the plan depends on
    nothing else that the machine does.

    Raises
    ------
    RuleBroken
        When the judge refuses the plan.
    """
    rebalance = ground.settings.rebalance
    seconds = PATIENCE * rebalance.deadline
    limits = Limits(
        seconds, WORK_A_SECOND * rebalance.deadline, workers=1, seed=rebalance.seed, clock=clock
    )
    plan = solve(ground.snapshot, goals_from(ground.settings) | dict(trial.weights), limits)
    require(audit_plan(ground.snapshot.standing, plan, ground.settings))
    draft, counts = _drawn(ground.snapshot, plan)
    # What the plan says itself goes before; it says nothing of goals of weight 0.
    terms = {goal: GOALS[goal](draft) for goal in GOALS if goal not in ground.snapshot.without}
    return Reached(
        outcome=plan.outcome,
        levels=plan.levels,
        drained=int(counts[draft.drains()].sum()),
        created=int(counts[draft.creates()].sum()),
        before={goal: each.value(nothing(draft)) for goal, each in terms.items()}
        | {goal: each.before for goal, each in plan.goals.items()},
        after={goal: each.value(counts) for goal, each in terms.items()}
        | {goal: each.after for goal, each in plan.goals.items()},
        is_late=plan.outcome is not Outcome.OPTIMAL and plan.seconds > rebalance.deadline,
        seconds=plan.seconds,
    )


def _drawn(snapshot: Snapshot, plan: Plan) -> tuple[Draft, Ints]:
    """Draw up only what a plan moves, and give its counts: goals of weight 0 have values too."""
    group, demand = pairs_of(snapshot, plan)
    chosen = np.zeros((len(snapshot.supply), len(snapshot.demand)), dtype=np.bool_)
    chosen[group, demand] = True
    draft = draft_of(snapshot, chosen)
    return draft, carried(draft, plan)


def result_of(grounds: Sequence[Ground], trial: Trial) -> Result:
    """Solve a trial for all snapshots."""
    return Result(trial, tuple(solved(ground, trial) for ground in grounds))


def result_from(content: bytes, trial: Trial) -> Result:
    """Solve a trial for grounds as ``packed`` gave them; a process unpacks them once."""
    return result_of(_grounds(content), trial)


@lru_cache(maxsize=1)
def _grounds(content: bytes) -> tuple[Ground, ...]:
    return unpacked(content)
