"""Why the plan makes a move, and why it does not do something else: what that would change."""

from dataclasses import dataclass
from typing import Any, cast

from models.fleet import Mask
from models.outcome import Outcome
from models.plan import Move, Plan
from planner.explain.asked_plan import AskedPlan
from planner.render.explain.move_trees import (
    by_itself_tree,
    difference_tree,
    flips_tree,
    plain_tree,
    refused_tree,
)
from planner.render.explain.move_words import answer_of
from planner.render.trees import Row, plan_tree
from rebalancer.instead.case import Best, Case, best
from rebalancer.instead.condition import Condition
from rebalancer.instead.difference import Decider, difference, goal_changes
from rebalancer.instead.flip import flips
from rebalancer.instead.forbid import forbid, moved, without_unit
from rebalancer.instead.force import demand_of, force
from rebalancer.instead.known import known
from rebalancer.instead.refusal import Refusal, refused_at_once, refused_together
from rebalancer.instead.remedy import about
from rebalancer.snapshot import Snapshot

NO_ANSWER = "No answer in time: a larger rebalance.deadline may help."


@dataclass(frozen=True, eq=False, slots=True)
class Forced:
    """What is to serve a need: machines, marked ``(M,)``, and how the command line names them."""

    name: str
    machines: Mask


def explain_plan(asked: AskedPlan) -> Row:
    """Give every move with what its unit changes by itself, goal by goal."""
    case = asked.case()
    moves = [
        {**row, **_by_itself(case, asked.plan, move)}
        for row, move in zip(_moves(asked, asked.plan), asked.plan.moves, strict=True)
    ]
    return {"outcome": str(asked.plan.outcome), "moves": moves}


def explain_move(asked: AskedPlan, move: Move) -> Row:
    """Give a move with its reason, what it changes, and what the best plan without it would be."""
    case, tree = asked.case(), {**_tree(asked, move.need, move), "asked": f"without {move.id}"}
    condition = forbid(case.draft, case.plan, asked.plan, move)
    if not len(condition.lanes):
        # What climbs back comes once all else is decided, and is decided in another way.
        name = asked.fleet.needs[move.need].name
        return tree | plain_tree(f"{name} would keep what it has.")
    return tree | _by_itself(case, asked.plan, move) | _compared(asked, case, condition)


def explain_instead(asked: AskedPlan, need: int, forced: Forced, move: Move | None = None) -> Row:
    """Give what the best plan would be in which a need, of this row, is served from there."""
    name = asked.fleet.needs[need].name
    tree = {**_tree(asked, need, move), "asked": f"with {forced.name} for {name}"}
    said = known(asked.standing, asked.snapshot, asked.plan, need, forced.machines)
    case = asked.case(forced.machines)
    demand = demand_of(case.draft, need)
    if demand is None or said:
        return tree | plain_tree(said)
    refusal = refused_at_once(case.draft.snapshot, demand, forced.machines)
    if refusal is not None:
        return tree | _refused(case.draft.snapshot, demand, refusal)
    condition = force(case.draft, demand, forced.machines)
    if condition.holds(case.plan):
        return tree | plain_tree("The plan does that.")
    return tree | _compared(asked, case, condition, demand)


def _tree(asked: AskedPlan, need: int, move: Move | None) -> Row:
    """Give what is said whatever comes of the question."""
    tree: Row = {"outcome": str(asked.plan.outcome), "need": asked.fleet.needs[need].name}
    if move is not None:
        [tree["move"]] = [row for row in _moves(asked, asked.plan) if row["id"] == move.id]
    return tree


def _by_itself(case: Case, plan: Plan, move: Move) -> Row:
    """Give what the goals gain or pay by the unit of a move, all else alike; nothing off lanes."""
    if not moved(case.draft, plan, move).any():
        return {"byItself": None, "byItselfUsd": None}
    less = without_unit(case.draft, case.plan, plan, move)
    return by_itself_tree(goal_changes(case, less, case.plan))


def _compared(asked: AskedPlan, case: Case, condition: Condition, demand: int | None = None) -> Row:
    """Solve under a condition and compare, or say why that is not to be had."""
    found = best(case, condition)
    if found.counts is None:
        return _not_found(case, condition, found, demand)
    told = difference(case, found.counts)
    is_turning = told.decider is Decider.GOALS and not told.is_better
    is_turning &= asked.plan.outcome is Outcome.OPTIMAL
    turns = flips(case, condition, found.counts) if is_turning else None
    made = {(move.machines, move.need) for move in asked.plan.moves}
    other = asked.judged(case, found.counts)
    moves = [
        row
        for row, move in zip(_moves(asked, other), other.moves, strict=True)
        if (move.machines, move.need) not in made
    ]
    instead = {"isProven": found.proven, **difference_tree(told), "moves": moves}
    return plain_tree(answer_of(told, turns)) | {"instead": instead | flips_tree(turns)}


def _not_found(case: Case, condition: Condition, found: Best, demand: int | None) -> Row:
    bar = refused_together(case, condition) if found.proven else None
    if bar is None or demand is None:
        return plain_tree(NO_ANSWER)
    return _refused(case.draft.snapshot, demand, Refusal(bar, None, {}))


def _refused(snapshot: Snapshot, demand: int, refusal: Refusal) -> Row:
    return refused_tree(refusal, *about(snapshot, demand, refusal.bar, refusal.machine))


def _moves(asked: AskedPlan, plan: Plan) -> list[Row]:
    # A plan's tree holds plain values; its type says less.
    return cast(list[dict[str, Any]], plan_tree(asked.fleet, (), plan)["moves"])
