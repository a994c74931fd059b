"""Why a move and why not something else as plain trees: what ``-o json`` and ``-o yaml`` show."""

from typing import Any, cast

from models.fleet import Fleet
from models.plan import Plan
from planner.explain.move import AskedMove, AskedMoves, ByItself, Instead, Refused
from planner.render.explain.move_words import answer_of
from planner.render.trees import Row, number, plan_tree
from rebalancer.instead.comparison import Comparison, Contrast
from rebalancer.instead.flip import Flips


def moves_tree(found: AskedMoves) -> Row:
    """Give every move of a plan with what its unit changes by itself."""
    plan = found.asked.plan
    rows = zip(_moves(found.asked.fleet, plan), found.by_itself, strict=True)
    moves = [{**row, **_by_itself(by_itself)} for row, by_itself in rows]
    return {"outcome": str(plan.outcome), "moves": moves}


def move_tree(found: AskedMove) -> Row:
    """Give what was asked about, and a sentence, a refusal or a comparison."""
    asked, move = found.asked, found.move
    tree: Row = {"outcome": str(asked.plan.outcome), "need": asked.fleet.needs[found.need].name}
    if move is not None:
        [tree["move"]] = [row for row in _moves(asked.fleet, asked.plan) if row["id"] == move.id]
    tree["asked"] = found.question
    if found.by_itself is not None:
        tree |= _by_itself(found.by_itself)
    tree |= {"answer": found.answer, "refused": None, "instead": None}
    match found.answer:
        case Refused():
            refusal = found.answer.refusal
            tree["answer"] = f"That may not be ({refusal.bar}). {found.answer.words}"
            tree["refused"] = _refused(found.answer)
        case Instead():
            tree["answer"] = answer_of(found.answer.comparison, found.answer.flips)
            tree["instead"] = _instead(asked.fleet, asked.plan, found.answer)
    return tree


def _by_itself(found: ByItself) -> Row:
    """Give what the goals gain or pay, those that do."""
    if found.changes is None:
        return {"byItself": None, "byItselfUsd": None}
    changed = [each for each in found.changes if each.difference]
    return {
        "byItself": {
            str(each.goal): {"change": number(each.difference), "usd": number(each.usd)}
            for each in changed
        },
        "byItselfUsd": number(sum(each.usd for each in changed)),
    }


def _refused(found: Refused) -> Row:
    return {
        "rule": found.refusal.bar.name,
        "reason": str(found.refusal.bar),
        "words": found.words,
        "remedy": found.remedy,
        "machines": {bar.name: count for bar, count in found.refusal.counts.items()},
    }


def _instead(fleet: Fleet, plan: Plan, found: Instead) -> Row:
    """Give the differences, and the moves that the plan does not make."""
    made = {(move.machines, move.need) for move in plan.moves}
    moves = [
        row
        for row, move in zip(_moves(fleet, found.plan), found.plan.moves, strict=True)
        if (move.machines, move.need) not in made
    ]
    compared = {"isProven": found.is_proven, **_comparison(found.comparison), "moves": moves}
    return compared | _flips(found.flips)


def _moves(fleet: Fleet, plan: Plan) -> list[Row]:
    # A plan's tree holds plain values; its type says less.
    return cast(list[dict[str, Any]], plan_tree(fleet, (), plan)["moves"])


def _comparison(told: Comparison) -> Row:
    """Give two plans step by step and goal by goal; goals that are switched off are left out."""
    return {
        "decidedBy": told.decider.name,
        "priority": told.priority,
        "isBetter": told.is_better,
        "levels": [{"priority": level.priority, **_contrast(level)} for level in told.levels],
        "drained": _contrast(told.drained),
        "created": _contrast(told.created),
        "unpriced": _contrast(told.unpriced),
        "goals": {
            str(goal.goal): {
                "weight": number(goal.weight),
                **_contrast(goal),
                "usd": number(goal.usd),
            }
            for goal in told.goals
            if goal.weight
        },
        "usd": number(told.usd),
    }


def _flips(turns: Flips | None) -> Row:
    """Give the weights at which the choice turns; None where nobody asked."""
    if turns is None:
        return {"flips": None, "unknownFlips": None}
    flips = [
        {
            "goal": str(flip.goal),
            "weight": number(flip.weight),
            "at": number(flip.at),
            "side": "above" if flip.is_above else "below",
            "isTied": flip.is_tied,
        }
        for flip in turns.found
    ]
    return {"flips": flips, "unknownFlips": [str(goal) for goal in turns.unknown]}


def _contrast(numbers: Contrast) -> Row:
    return {
        "plan": number(numbers.plan),
        "instead": number(numbers.instead),
        "difference": number(numbers.difference),
    }
