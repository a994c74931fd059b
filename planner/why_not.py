"""Why the plan makes a move, and why it does not do something else: what that would change."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from hotpath.standing import standing_of
from models.audit import audit_plan, require
from models.errors import Fault, InputFault
from models.fleet import Fleet, Ints, Mask
from models.outcome import Outcome
from models.plan import Move, Plan
from models.settings import Settings
from models.standing import Standing
from planner.deciding import decide_shards
from planner.fence.asking import asking
from planner.render.trees import Row, number, plan_tree
from planner.render.why_not_words import answer_of, known, plain_answer
from planner.solving import solved
from rebalancer.carried import carried
from rebalancer.instead.apart import apart
from rebalancer.instead.case import Ask, Best, Case, best, case_of
from rebalancer.instead.condition import Condition
from rebalancer.instead.difference import Change, Decider, Difference, difference, goal_changes
from rebalancer.instead.flip import Flips, flips
from rebalancer.instead.forbid import forbid, without_unit
from rebalancer.instead.force import demand_of, force
from rebalancer.instead.refusal import Refusal, refused_at_once, refused_together
from rebalancer.instead.remedy import about
from rebalancer.problems.assignment import draft_of
from rebalancer.question import Found, Question, believed
from rebalancer.settings import goals_from, limits_from, rules_from
from rebalancer.snapshot import Snapshot, snapshot_of
from rebalancer.solve import Task, greedy_plan
from rebalancer.wide.stage import stage_of

ANSWERING_SECONDS = 0.1
"""Kept back from what is left for a question, to end the solver's process."""


@dataclass(frozen=True, eq=False, slots=True)
class Forced:
    """What is to serve a need: machines, marked ``(M,)``, and how the command line names them."""

    name: str
    machines: Mask


@dataclass(frozen=True, eq=False, slots=True)
class Ground:
    """A plan with what it was made from; all questions about it have to be answered by ``ends``."""

    settings: Settings
    standing: Standing
    snapshot: Snapshot
    plan: Plan
    ends: float

    @property
    def fleet(self) -> Fleet:
        """Give the fleet beneath."""
        return self.standing.fleet

    def case(self, machines: Mask | None = None) -> Case:
        """Give the plan as counts of groups that tell marked machines, ``(M,)``, apart."""
        snapshot = self.snapshot if machines is None else apart(self.snapshot, machines)
        draft, limits = draft_of(snapshot), limits_from(self.settings, time.monotonic)
        weights = goals_from(self.settings)
        return case_of(draft, weights, carried(draft, self.plan), limits, _ask(self.ends))


def ground_of(fleet: Fleet, settings: Settings, path: str) -> Ground:
    """Plan for a fleet as ``plan_fleet`` does, with one worker, so that answers can be repeated.

    All questions together may take as long as the plan: ``rebalance.deadline``.

    Raises
    ------
    InputFault
        When there are too many pairs of group and need to draw up all; ``path`` is the fleet's.
    """
    alone = settings.rebalance.model_copy(update={"workers": 1})
    settings = settings.model_copy(update={"rebalance": alone})
    decided = decide_shards(fleet, settings, range(len(fleet.shards)))
    standing = standing_of(fleet, decided)
    snapshot = snapshot_of(standing, rules_from(settings))
    if stage_of(snapshot, goals_from(settings), limits_from(settings)) is not None:
        message = "there are too many machines and needs that could go together to ask about one."
        raise InputFault([Fault(path, message)])
    plan = solved(standing, settings).plan
    return Ground(settings, standing, snapshot, plan, time.monotonic() + alone.deadline)


def explain_plan(ground: Ground) -> Row:
    """Give every move with what its unit changes by itself, goal by goal."""
    case = ground.case()
    rows = plan_tree(ground.fleet, (), ground.plan)["moves"]
    moves = [
        {**row, **_by_itself(case, ground.plan, move)}
        for row, move in zip(_rows(rows), ground.plan.moves, strict=True)
    ]
    return {"outcome": str(ground.plan.outcome), "moves": moves}


def explain_move(ground: Ground, move: Move) -> Row:
    """Give a move with its reason, what it changes, and what the best plan without it would be."""
    case = ground.case()
    condition = forbid(case.draft, case.plan, ground.plan, move)
    tree = _tree(ground, move.need, move) | _by_itself(case, ground.plan, move)
    return tree | {"asked": f"without {move.id}"} | _compared(ground, case, condition)


def explain_instead(ground: Ground, need: int, forced: Forced, move: Move | None = None) -> Row:
    """Give what the best plan would be in which a need, of this row, is served from there."""
    fleet = ground.fleet
    tree = _tree(ground, need, move) | {"asked": f"with {forced.name} for {fleet.needs[need].name}"}
    case = ground.case(forced.machines)
    demand = demand_of(case.draft, need)
    said = known(ground.standing, ground.snapshot, ground.plan, need, forced.machines)
    if demand is None or said:
        return tree | plain_answer(said)
    refusal = refused_at_once(case.draft.snapshot, demand, forced.machines)
    if refusal is not None:
        return tree | _refused(case.draft.snapshot, demand, refusal)
    condition = force(case.draft, demand, forced.machines)
    if condition.holds(case.plan):
        return tree | plain_answer("The plan does that.")
    return tree | _compared(ground, case, condition, demand)


def _tree(ground: Ground, need: int, move: Move | None) -> Row:
    """Give what is said whatever comes of the question."""
    tree: Row = {"outcome": str(ground.plan.outcome), "need": ground.fleet.needs[need].name}
    if move is not None:
        rows = _rows(plan_tree(ground.fleet, (), ground.plan)["moves"])
        [row] = [row for row in rows if row["id"] == move.id]
        tree["move"] = row
    return tree


def _compared(ground: Ground, case: Case, condition: Condition, demand: int | None = None) -> Row:
    """Solve under a condition and compare, or say why that is not to be had."""
    found = best(case, condition)
    if found.counts is None:
        return _not_found(case, condition, found, demand)
    told = difference(case, found.counts)
    is_asked = ground.plan.outcome is Outcome.OPTIMAL and told.decider is Decider.GOALS
    turns = flips(case, condition, found.counts) if is_asked and not told.is_better else None
    other = _plan_of(ground, case, found.counts)
    instead = {
        "isProven": found.proven,
        **_changes(told),
        "moves": _only_in(ground, other),
        "flips": None if turns is None else _flips(turns),
        "unknownFlips": None if turns is None else [str(goal) for goal in turns.unknown],
    }
    return {"answer": answer_of(told, turns), "refused": None, "instead": instead}


def _not_found(case: Case, condition: Condition, found: Best, demand: int | None) -> Row:
    bar = refused_together(case, condition) if found.proven else None
    if bar is None or demand is None:
        return plain_answer("No answer in time: a larger rebalance.deadline may help.")
    return _refused(case.draft.snapshot, demand, Refusal(bar, None, {}))


def _refused(snapshot: Snapshot, demand: int, refusal: Refusal) -> Row:
    words, remedy = about(snapshot, demand, refusal.bar, refusal.machine)
    refused = {
        "rule": refusal.bar.name,
        "reason": str(refusal.bar),
        "words": words,
        "remedy": remedy,
        "machines": {bar.name: count for bar, count in refusal.counts.items()},
    }
    answer = f"That may not be ({refusal.bar}). {words}"
    return {"answer": answer, "refused": refused, "instead": None}


def _by_itself(case: Case, plan: Plan, move: Move) -> Row:
    """Give what the goals gain or pay by the unit of a move, all else alike."""
    changes = goal_changes(case, without_unit(case.draft, case.plan, plan, move), case.plan)
    return {
        "byItself": {
            str(each.goal): {"change": number(each.difference), "usd": number(each.usd)}
            for each in changes
            if each.difference
        },
        "byItselfUsd": number(sum(each.usd for each in changes)),
    }


def _changes(told: Difference) -> Row:
    return {
        "decidedBy": told.decider.name,
        "priority": told.priority,
        "isBetter": told.is_better,
        "levels": [{"priority": level.priority, **_change(level)} for level in told.levels],
        "drained": _change(told.drained),
        "created": _change(told.created),
        "unpriced": _change(told.unpriced),
        "goals": {
            str(goal.goal): {
                "weight": number(goal.weight),
                **_change(goal),
                "usd": number(goal.usd),
            }
            for goal in told.goals
            if goal.weight
        },
        "usd": number(told.usd),
    }


def _change(change: Change) -> Row:
    return {
        "plan": number(change.plan),
        "instead": number(change.instead),
        "difference": number(change.difference),
    }


def _flips(turns: Flips) -> list[Row]:
    return [
        {
            "goal": str(flip.goal),
            "weight": number(flip.weight),
            "at": number(flip.at),
            "side": "above" if flip.is_above else "below",
            "isTied": flip.is_tied,
        }
        for flip in turns.found
    ]


def _plan_of(ground: Ground, case: Case, counts: Ints) -> Plan:
    """Name the moves of counts, ``(X,)``, and have them judged as every plan is.

    Raises
    ------
    RuleBroken
        When they break a rule.
    """
    singles = tuple(case.objective.single.values())
    question = Question(case.draft.shape, case.objective.steps, singles, counts, case.limits)
    snapshot, objective = case.draft.snapshot, case.objective
    task = Task(snapshot, case.draft, objective, case.weights, case.limits, 0.0, question)
    plan = greedy_plan(task)
    require(audit_plan(ground.standing, plan, ground.settings))
    return plan


def _only_in(ground: Ground, other: Plan) -> list[Row]:
    """Give the moves of another plan that the plan does not make just so."""
    made = {(move.machines, move.need) for move in ground.plan.moves}
    rows = _rows(plan_tree(ground.fleet, (), other)["moves"])
    return [
        row
        for row, move in zip(rows, other.moves, strict=True)
        if (move.machines, move.need) not in made
    ]


def _ask(ends: float) -> Ask:
    """Give who asks the solver's process, until time is up, and believes nothing."""

    def ask(question: Question) -> Found:
        seconds = ends - ANSWERING_SECONDS - time.monotonic()
        if seconds <= 0 or not question.is_worth_a_search:
            return question.unanswered()
        try:
            with asking(question, seconds) as asked:
                claim, _ = asked.claim(seconds)
        except OSError:
            claim = None
        return question.unanswered() if claim is None else believed(question, claim)[0]

    return ask


def _rows(rows: object) -> Sequence[Row]:
    # A plan's tree holds plain values; its type says less.
    assert isinstance(rows, list)
    return rows
