"""The fence around a solve: whatever becomes of the solver, a plan that keeps the rules."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from models.audit import audit_plan, require
from models.plan import Plan
from models.settings import Settings
from models.standing import Standing
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback, solve

Clock = Callable[[], float]


@dataclass(frozen=True, eq=False, slots=True)
class Solved:
    """A plan that the judge has passed; ``complaint`` says why it is not the solver's, else ""."""

    plan: Plan
    complaint: str = ""


def solved(standing: Standing, settings: Settings, clock: Clock = time.monotonic) -> Solved:
    """Solve for what is short; the greedy plan takes the place of one that fails or breaks a rule.

    ``seconds`` of the plan is all the time since the call, the snapshot and the judge included.

    Raises
    ------
    RuleBroken
        When the greedy plan breaks a rule too.
    """
    started = clock()
    snapshot = snapshot_of(standing, rules_from(settings))
    goals, limits = goals_from(settings), limits_from(settings, clock)
    complaint = ""
    try:
        plan = solve(snapshot, goals, limits)
        complaint = "; ".join(map(str, audit_plan(standing, plan, settings)))
    except Exception as error:
        # Not only errors of ours: whatever the solver raises, the fast answer stands ready.
        complaint = f"{type(error).__name__}: {error}"
    if complaint:
        plan = fallback(snapshot, goals, limits)
        require(audit_plan(standing, plan, settings))
    return Solved(replace(plan, seconds=clock() - started), complaint)
