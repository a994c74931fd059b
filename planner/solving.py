"""A solve behind its fence: whatever the solver does, a plan that keeps the rules, in time."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from models.audit import audit_plan, require
from models.audit.violation import Violation
from models.plan import Plan
from models.problem import Problem
from models.rules import Goal
from models.settings import Settings
from models.standing import Standing
from planner.fence.asking import LATE, asking, asking_wide, prestart
from planner.progress import OnProgress, progress_of
from rebalancer.limits import Limits
from rebalancer.question import Found, OnBetter
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import Task, begin, greedy_plan, plan_of
from rebalancer.wide.stage import SHARE, answered, stage_of

Clock = Callable[[], float]
Judge = Callable[[Plan], Sequence[Violation]]

RESERVE_SECONDS = 0.1
"""Kept back from the deadline to end the solver's process and to read what it sent last."""

JUDGING = 2.0
"""The solver's plan may take so many times as long to name and judge as the greedy one: 1.5 made a
plan for 200,000 lanes 1.4 s late on two cores with a load of 10."""


@dataclass(frozen=True, eq=False, slots=True)
class Solved:
    """A plan that the judge has passed; ``complaint`` says what the solver did wrong, else ""."""

    plan: Plan
    complaint: str = ""


def solved(
    standing: Standing,
    settings: Settings,
    clock: Clock = time.monotonic,
    problems: Sequence[Problem] = tuple(Problem),
    previous: Plan | None = None,
    on_progress: OnProgress | None = None,
) -> Solved:
    """Solve for what is short; the greedy plan takes the place of one that fails or breaks a rule.

    ``previous``, a plan in rows of this fleet, is where the search starts if that is better.
    ``on_progress`` is told of every better plan, by another thread.
    ``seconds`` of the plan is all the time since the call, the snapshot and the judge included.

    Raises
    ------
    RuleBroken
        When the greedy plan breaks a rule too.
    """
    started = clock()
    ends = started + settings.rebalance.deadline
    if _may_move(standing):
        # It loads the solver while the problem is drawn up. Where it cannot be started the
        # question will find that out once more.
        with suppress(OSError):
            prestart()
    snapshot = snapshot_of(standing, replace(rules_from(settings), problems=tuple(problems)))
    limits = limits_from(settings, clock)
    task, complaint = _task(snapshot, goals_from(settings), limits, previous, ends)

    def judged(plan: Plan) -> Sequence[Violation]:
        return audit_plan(standing, plan, settings)

    def better(found: Found) -> None:
        if on_progress is not None:
            on_progress(lambda: progress_of(task.question, found))

    answer = _answer(task, judged, ends, better)
    plan = replace(answer.plan, seconds=clock() - started)
    return Solved(plan, answer.complaint or complaint)


def _task(
    snapshot: Snapshot,
    goals: Mapping[Goal, float],
    limits: Limits,
    previous: Plan | None,
    ends: float,
) -> tuple[Task, str]:
    """Draw up the problem, all pairs or those found worth it; say what went wrong, else "".

    The greedy plan of a selection is in hand before flows and packing are asked for a better one.
    """
    stage = stage_of(snapshot, goals, limits)
    if stage is None:
        return begin(snapshot, goals, limits, previous), ""
    silence = stage.unanswered()
    task = begin(snapshot, goals, limits, previous, answered(stage, silence))
    # To draw up once more takes as long as it did.
    seconds = SHARE * (ends - limits.clock()) - (limits.clock() - task.started)
    if seconds <= 0:
        return task, ""
    try:
        with asking_wide(stage.question, seconds) as asked:
            said, complaint = asked.claim(seconds)
        if said is not None and said.is_more_than(silence):
            task = begin(snapshot, goals, limits, previous, answered(stage, said))
    except Exception as error:
        # Whatever goes wrong with the process, the fast answer stands ready.
        complaint = f"{type(error).__name__}: {error}"
    # Not to be done in half of the time is no fault.
    return task, "" if complaint == LATE else complaint


def _may_move(standing: Standing) -> bool:
    """Tell whether anything could be decided: inside a lone shard only for gangs."""
    fleet, short = standing.fleet, standing.short.nonzero()[0].tolist()
    return any(len(fleet.shards) > 1 or fleet.needs[need].is_gang for need in short)


def _answer(task: Task, judged: Judge, ends: float, better: OnBetter) -> Solved:
    clock = task.limits.clock
    begun = clock()
    greedy = greedy_plan(task)
    if not task.question.is_worth_a_search:
        require(judged(greedy))
        return Solved(greedy)
    named = clock()
    faults = None
    seconds = ends - named - RESERVE_SECONDS - (named - begun)
    if seconds <= 0 and task.question.is_found:
        # Flows and packing have used the time up, and well.
        require(judged(greedy))
        return Solved(greedy)
    try:
        with asking(task.question, seconds, better) as asked:
            faults = judged(greedy)
            spare = RESERVE_SECONDS + JUDGING * (clock() - begun)
            claim, complaint = asked.claim(ends - spare - clock())
        if claim is not None:
            plan, lie = plan_of(task, claim)
            broken = judged(plan)
            if not broken:
                return Solved(plan, complaint or lie)
            complaint = "; ".join(map(str, broken))
    except Exception as error:
        # Whatever goes wrong with the process, the fast answer stands ready.
        complaint = f"{type(error).__name__}: {error}"
    require(judged(greedy) if faults is None else faults)
    return Solved(greedy, complaint)
