"""A solve behind its fences: whatever the solver does, a plan that keeps the rules, in time."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from models.audit import audit_plan
from models.audit.violation import Violation
from models.plan import Plan
from models.problem import Problem
from models.rules import Goal
from models.settings import Settings
from models.standing import Standing
from planner.fence.asking import LATE, asking, asking_wide
from planner.fence.copied import Say
from planner.pacing import paced
from planner.progress import OnProgress, progress_of
from planner.timely import Clock, Judge, Solved, Timing, timely
from rebalancer.limits import Limits
from rebalancer.problems.replace.stage import climbed
from rebalancer.question import OnBetter, Question
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import Task, begin, greedy_plan, plan_of
from rebalancer.unmoved import lacking, unmoved
from rebalancer.wide.stage import FEWEST, SHARE, WIDE_FROM, answered, first_of, most_pairs, stage_of

RESERVE_SECONDS = 0.1
"""Kept back from the deadline to end the solver's process and to read what it sent last."""

JUDGING = 2.0
"""The solver's plan may take so many times as long to name and judge as the greedy one: 1.5 made a
plan for 200,000 lanes 1.4 s late on two cores with a load of 10."""

CLIMBING = 0.2
"""Of the time for the search so much is kept for replacements, where they are made."""

AFFORDABLE = 1.5
"""The first plan tells how fast this machine is, now: what is drawn up may at its pace take so many
times what is left. A lane of many takes a third of the time of one of few: for 3,765 and 100,000
lanes 0.37 s and 3.6 s."""

PROGRESS_SECONDS = 0.25
"""Between two looks at how far a search has come: each costs a pass over all lanes."""


def solved(
    standing: Standing,
    settings: Settings,
    clock: Clock = time.monotonic,
    problems: Sequence[Problem] = tuple(Problem),
    previous: Plan | None = None,
    on_progress: OnProgress | None = None,
) -> Solved:
    """Solve for what is short; the best plan that is there in time and keeps the rules.

    That is the search's, or the greedy one where it fails or breaks a rule, or one that moves
    nothing where there is no time even for that.

    ``previous``, a plan in rows of this fleet, is where the search starts if that is better.
    ``on_progress`` is told how far the search has come, now and then and at its end.
    ``seconds`` of the plan is all the time since the call, the snapshot and the judge included.

    Raises
    ------
    RuleBroken
        When the judge refuses even the plan that moves nothing.
    """
    started = clock()
    ends = started + settings.rebalance.deadline
    rules = replace(rules_from(settings), problems=tuple(problems))
    goals, limits = goals_from(settings), limits_from(settings, clock)

    def judge(plan: Plan) -> Sequence[Violation]:
        return audit_plan(standing, plan, settings)

    def work(say: Say) -> None:
        snapshot = snapshot_of(standing, rules)
        watch = None if on_progress is None else say
        propose(snapshot, goals, limits, previous, Proposing(judge, ends, say, watch))

    def spare() -> Plan:
        return unmoved(standing, rules, goals, limits, lacking(standing))

    timing = Timing(ends, clock, loads=_may_move(standing))
    answer = timely(work, spare, judge, timing, on_progress)
    return Solved(replace(answer.plan, seconds=clock() - started), answer.complaint)


def _may_move(standing: Standing) -> bool:
    """Tell whether anything could be decided: inside a lone shard only for gangs."""
    fleet, short = standing.fleet, standing.short.nonzero()[0].tolist()
    return any(len(fleet.shards) > 1 or fleet.needs[need].is_gang for need in short)


@dataclass(frozen=True, eq=False, slots=True)
class Proposing:
    """Who judges plans, when they must be there, and who is told of them and of progress."""

    judge: Judge
    ends: float
    say: Say
    watch: Say | None = None


@dataclass(frozen=True, eq=False, slots=True)
class _Fast:
    """The greedy plan of a task; what the judge finds, and how long all that took."""

    task: Task
    plan: Plan
    faults: Sequence[Violation]
    seconds: float

    @property
    def served(self) -> tuple[int, ...]:
        """Give the machines that serve each level, the highest first."""
        return tuple(level.served for level in self.plan.levels)


def propose(
    snapshot: Snapshot,
    goals: Mapping[Goal, float],
    limits: Limits,
    previous: Plan | None,
    proposing: Proposing,
) -> None:
    """Say plans that the judge passes, each no worse than the one before, the first one soon.

    Where something goes wrong on the way that is said too, in words.
    """
    clock, few, first, most = limits.clock, first_of(snapshot), None, most_pairs(limits)
    if few is not None:
        begun = clock()
        first = _fast(begin(snapshot, goals, limits, previous, few), proposing)
        lanes, seconds = len(first.task.draft.lanes), clock() - begun
        most = min(most, affordable(lanes, seconds, proposing.ends - clock()))
    stage = stage_of(snapshot, goals, limits, most)
    if stage is None:
        fast = _fast(begin(snapshot, goals, limits, previous), proposing, first)
        _climb(snapshot, limits, _search(fast, proposing), proposing)
        return
    begun, silence = clock(), stage.unanswered()
    task = begin(snapshot, goals, limits, previous, answered(stage, silence))
    fast = _fast(task, proposing, first)
    # To draw up once more takes as long as it did.
    seconds = SHARE * (proposing.ends - clock()) - (clock() - begun)
    if seconds > 0:
        try:
            with asking_wide(stage.question, seconds) as asked:
                said, complaint = asked.claim(seconds)
            if said is not None and said.is_more_than(silence):
                task = begin(snapshot, goals, limits, previous, answered(stage, said))
                fast = _fast(task, proposing, fast)
        except Exception as error:
            # Whatever goes wrong with the process, the fast answer stands ready.
            complaint = f"{type(error).__name__}: {error}"
        # Not to be done in half of the time is no fault.
        if complaint and complaint != LATE:
            proposing.say(complaint)
    _climb(snapshot, limits, _search(fast, proposing), proposing)


def affordable(lanes: int, seconds: float, left: float) -> int:
    """Give how many pairs to draw up in the time left, where so many lanes took so many seconds."""
    if seconds <= 0:
        return WIDE_FROM
    return max(FEWEST, int(AFFORDABLE * lanes * left / seconds))


def _fast(task: Task, proposing: Proposing, before: _Fast | None = None) -> _Fast:
    """Name the greedy plan, have it judged and say it, unless the one before serves better."""
    clock = task.limits.clock
    begun = clock()
    plan = greedy_plan(task)
    fast = _Fast(task, plan, proposing.judge(plan), clock() - begun)
    if before is not None and (fast.faults or fast.served < before.served):
        return before
    if not fast.faults:
        proposing.say(plan)
    return fast


def _climb(snapshot: Snapshot, limits: Limits, plan: Plan | None, proposing: Proposing) -> None:
    """Add to the last plan that was said what is replaced beside it."""
    if plan is None or snapshot.rules.climbing is None:
        return
    left = proposing.ends - limits.clock() - RESERVE_SECONDS
    more = climbed(snapshot, plan, replace(limits, seconds=left))
    faults = proposing.judge(more)
    proposing.say("; ".join(map(str, faults)) if faults else more)


def _search(fast: _Fast, proposing: Proposing) -> Plan | None:
    """Search from the greedy plan, and say what is found; give the last plan that was said."""
    question, clock = fast.task.question, fast.task.limits.clock
    complaint = ""
    seconds = proposing.ends - clock() - RESERVE_SECONDS - JUDGING * fast.seconds
    if fast.task.snapshot.rules.climbing is not None:
        seconds *= 1 - CLIMBING
    if question.is_worth_a_search and seconds > 0:
        better = _paced(proposing.watch, question, clock)
        try:
            with asking(question, max(0.0, seconds - RESERVE_SECONDS), better) as asked:
                claim, complaint = asked.claim(seconds)
            if claim is not None:
                plan, lie = plan_of(fast.task, claim)
                faults = proposing.judge(plan)
                if not faults:
                    proposing.say(plan)
                    if proposing.watch is not None:
                        proposing.watch(progress_of(question, claim))
                    if complaint or lie:
                        proposing.say(complaint or lie)
                    return plan
                complaint = "; ".join(map(str, faults))
        except Exception as error:
            # Whatever goes wrong with the process, the fast answer stands ready.
            complaint = f"{type(error).__name__}: {error}"
    if fast.faults:
        proposing.say("; ".join(map(str, fast.faults)))
        return None
    if complaint:
        proposing.say(complaint)
    return fast.plan


def _paced(watch: Say | None, question: Question, clock: Clock) -> OnBetter | None:
    """Tell who watches of what is found, but not too often."""
    if watch is None:
        return None
    return paced(lambda found: watch(progress_of(question, found)), clock, PROGRESS_SECONDS)
