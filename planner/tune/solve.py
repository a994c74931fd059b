"""Solve one trial for every snapshot: pure but for the clock, and the same wherever it runs."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from models.audit import audit_plan, require
from models.outcome import Outcome
from planner.tune.ground import Ground, unpacked
from planner.tune.trial import Effect, Result, Trial
from rebalancer.limits import Limits
from rebalancer.settings import goals_from
from rebalancer.weighed import weighed

WORK_A_SECOND = 0.25
"""Of the solver's own measure, for each second of the deadline."""

PATIENCE = 10.0
"""The clock stops a solve only after so many times the deadline; until then its work counts."""


def effect_of(ground: Ground, trial: Trial, clock: Callable[[], float] = time.monotonic) -> Effect:
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
    weights = goals_from(ground.settings) | dict(trial.weights)
    found = weighed(ground.snapshot, weights, limits)
    plan = found.plan
    require(audit_plan(ground.snapshot.standing, plan, ground.settings))
    return Effect(
        outcome=plan.outcome,
        levels=plan.levels,
        drained=found.drained,
        created=found.created,
        before=found.before,
        after=found.after,
        is_late=plan.outcome is not Outcome.OPTIMAL and plan.seconds > rebalance.deadline,
        seconds=plan.seconds,
    )


def result_of(grounds: Sequence[Ground], trial: Trial) -> Result:
    """Solve a trial for all snapshots."""
    return Result(trial, tuple(effect_of(ground, trial) for ground in grounds))


def result_from(content: bytes, trial: Trial) -> Result:
    """Solve a trial for grounds as ``packed`` gave them; a process unpacks them once."""
    return result_of(_grounds(content), trial)


@lru_cache(maxsize=1)
def _grounds(content: bytes) -> tuple[Ground, ...]:
    return unpacked(content)
