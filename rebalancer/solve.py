"""The one door: a snapshot in, a plan out.

``solve`` always gives a plan that keeps every hard rule and is never worse than the greedy one.
A caller that wants to search elsewhere takes it in parts: ``begin``, with the greedy plan in hand
at once, ``search`` what is left to ask, ``plan_of`` what came back, and last what is ``climbed``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isclose

import numpy as np

from models.fleet import Ints
from models.outcome import Outcome
from models.plan import Alternative, Displaced, GoalValue, Plan
from models.rules import Goal
from rebalancer.carried import carried, pairs_of
from rebalancer.digest import settings_digest
from rebalancer.draft import Draft, nothing
from rebalancer.greedy import greedy
from rebalancer.levels import levels_of, unmet_of
from rebalancer.limits import Limits
from rebalancer.naming import moves_of
from rebalancer.objective import FLOAT_NOISE, Objective, objective_of
from rebalancer.problems.assignment import draft_of
from rebalancer.problems.replace.stage import climbed
from rebalancer.question import Found, Question, believed
from rebalancer.search import search
from rebalancer.snapshot import Snapshot
from rebalancer.wide.answer import answer
from rebalancer.wide.stage import SHARE, Answered, answered, stage_of


def solve(
    snapshot: Snapshot, goals: Mapping[Goal, float], limits: Limits, previous: Plan | None = None
) -> Plan:
    """Serve what is short in one shard from others, as well as the limits allow to find out.

    ``previous`` is the last plan, in rows of the snapshot's fleet: where what is left of it is
    better than the greedy plan the search starts there.

    Returns
    -------
    Plan
        OPTIMAL when every objective was proven, FEASIBLE when not, FALLBACK (the greedy plan)
        when the solver found none in time. ``seconds`` is by ``limits.clock``.
    """
    started = limits.clock()
    said = _said(snapshot, goals, limits)
    task = replace(begin(snapshot, goals, limits, previous, said), started=started)
    question = task.question
    if question.is_worth_a_search and limits.seconds is not None:
        left = limits.seconds - (limits.clock() - started)
        question = replace(question, limits=replace(limits, seconds=left))
    plan, _ = plan_of(task, search(question))
    return _climbed(task, plan)


def _said(snapshot: Snapshot, goals: Mapping[Goal, float], limits: Limits) -> Answered | None:
    """Ask flows and packing, where there are too many pairs to draw up all."""
    started = limits.clock()
    stage = stage_of(snapshot, goals, limits)
    if stage is None:
        return None
    seconds = limits.seconds
    if seconds is not None:
        seconds = SHARE * (seconds - (limits.clock() - started))
    question = replace(stage.question, limits=replace(limits, seconds=seconds))
    return answered(stage, answer(question))


def fallback(snapshot: Snapshot, goals: Mapping[Goal, float], limits: Limits) -> Plan:
    """Give the greedy plan, without the solver: OPTIMAL where nothing can move, else FALLBACK."""
    task = begin(snapshot, goals, limits)
    return _climbed(task, greedy_plan(task))


def _climbed(task: "Task", plan: Plan) -> Plan:
    """Add what is replaced beside, in what is left of the time."""
    limits = task.limits
    if limits.seconds is not None:
        limits = replace(limits, seconds=limits.seconds - (limits.clock() - task.started))
    plan = climbed(task.snapshot, plan, limits)
    return replace(plan, seconds=task.limits.clock() - task.started)


@dataclass(frozen=True, eq=False, slots=True)
class Task:
    """What was asked, and when; ``question``, with the greedy counts, is left for a search."""

    snapshot: Snapshot
    draft: Draft
    objective: Objective
    goals: Mapping[Goal, float]
    limits: Limits
    started: float
    question: Question


def begin(
    snapshot: Snapshot,
    goals: Mapping[Goal, float],
    limits: Limits,
    previous: Plan | None = None,
    said: Answered | None = None,
) -> Task:
    """Draw up the problem and find the greedy counts, with what is left of a plan if better.

    ``said`` is what came of the stage before, where there are too many pairs to draw up all.
    """
    started = limits.clock()
    if said is not None and previous is not None:
        said = said.with_pairs(*pairs_of(snapshot, previous))
    draft = draft_of(snapshot, None if said is None else said.chosen)
    objective = objective_of(draft, goals)
    steps = objective.steps if said is None else said.for_all_lanes(objective.steps)
    question = Question(
        draft.shape,
        steps,
        tuple(objective.single.values()),
        greedy(draft, objective),
        limits,
        None if said is None else said.together(steps),
    )
    seeds = [] if said is None else [each for each in said.counts(draft) if draft.holds(each)]
    others = [(counts, True) for counts in seeds]
    if previous is not None:
        others.append((carried(draft, previous), False))
    for counts, is_found in others:
        again = greedy(draft, objective, counts)
        if question.key(again) < question.key(question.start):
            question = replace(question, start=again, is_found=is_found)
    return Task(snapshot, draft, objective, goals, limits, started, question)


def greedy_plan(task: Task) -> Plan:
    """Name the moves of the greedy counts."""
    return named(task, task.question.start)


def named(task: Task, counts: Ints) -> Plan:
    """Name the moves of counts, ``(X,)``, of which nothing is proven."""
    return _plan(task, replace(task.question, start=counts).unanswered())


def plan_of(task: Task, claim: Found) -> tuple[Plan, str]:
    """Make a plan of what a search claims, as far as it can be believed; say what cannot, or ""."""
    found, complaint = believed(task.question, claim)
    return _plan(task, found), complaint


def _plan(task: Task, found: Found) -> Plan:
    draft, counts = task.draft, found.counts
    steps = zip(task.question.steps, found.bounds, strict=True)
    most_gained = {step.priority: -bound for step, bound in steps if step.priority is not None}
    standing, gained = task.snapshot.standing, draft.gained(counts)
    return Plan(
        snapshot=task.snapshot.digest,
        settings=settings_digest(task.snapshot.rules, task.goals, task.limits),
        seed=task.limits.seed,
        outcome=_outcome(found),
        levels=levels_of(standing, gained - draft.lost(counts), most_gained),
        moves=moves_of(draft, counts),
        unmet=unmet_of(standing, gained),
        displaced=_displaced(draft, counts),
        goals=_goal_values(task, found),
        conflicts=(),
        seconds=task.limits.clock() - task.started,
        alternatives=_alternatives(task, found),
    )


def _outcome(found: Found) -> Outcome:
    if found.proven:
        return Outcome.OPTIMAL
    return Outcome.FEASIBLE if found.answered else Outcome.FALLBACK


def _displaced(draft: Draft, counts: Ints) -> tuple[Displaced, ...]:
    """Give what each victim loses, in the order of the needs; what moves whole loses nothing."""
    lost = draft.lost(counts)
    moved = draft.snapshot.demand.migrates[draft.lanes.demand] & (counts > 0)
    lost[draft.snapshot.demand.need[draft.lanes.demand[moved]]] = 0
    return tuple(Displaced(need, int(lost[need])) for need in np.flatnonzero(lost).tolist())


def _goal_values(task: Task, found: Found) -> dict[Goal, GoalValue]:
    draft, objective = task.draft, task.objective
    values = {}
    bounds = dict(zip(objective.single, found.single_bounds, strict=True))
    for goal, terms in objective.terms.items():
        weight = objective.weights[goal]
        after = terms.value(found.counts)
        proven = bounds[goal]
        if not len(draft.lanes):
            bound: float | None = weight * after
        elif proven is None:
            bound = None
        else:
            bound = weight * terms.constant + proven * objective.unit_usd
            bound -= objective.rounding_usd[goal]
            # Rounding may lift it a hair above what is reached, or below; it is then reached.
            cost = weight * after
            bound = cost if bound > cost or isclose(bound, cost, rel_tol=FLOAT_NOISE) else bound
        before = terms.value(nothing(draft))
        values[goal] = GoalValue(weight, before, after, weight * after, bound)
    return values


def _alternatives(task: Task, found: Found) -> tuple[Alternative, ...]:
    """Give what the goals would be in each alternative, the goal that loses most USD first."""
    objective = task.objective
    goals = list(objective.single)
    now = {goal: terms.value(found.counts) for goal, terms in objective.terms.items()}
    shown = []
    for single, counts in found.alternatives.items():
        after = {goal: terms.value(counts) for goal, terms in objective.terms.items()}
        change = {goal: objective.weights[goal] * (after[goal] - now[goal]) for goal in goals}
        extra = max(0.0, sum(change.values()))
        shown.append((change[goals[single]], Alternative(goals[single], after, extra)))
    return tuple(other for _, other in sorted(shown, key=lambda pair: pair[0]))
