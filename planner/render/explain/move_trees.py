"""Why a move and why not something else as plain trees: what ``-o json`` and ``-o yaml`` show."""

from collections.abc import Iterable

from planner.render.trees import Row, number
from rebalancer.instead.difference import Change, Difference, GoalChange
from rebalancer.instead.flip import Flips
from rebalancer.instead.refusal import Refusal


def by_itself_tree(changes: Iterable[GoalChange]) -> Row:
    """Give what the goals gain or pay by something, those that do."""
    changed = [each for each in changes if each.difference]
    return {
        "byItself": {
            str(each.goal): {"change": number(each.difference), "usd": number(each.usd)}
            for each in changed
        },
        "byItselfUsd": number(sum(each.usd for each in changed)),
    }


def plain_tree(sentence: str) -> Row:
    """Give an answer that holds without a comparison."""
    return {"answer": sentence, "refused": None, "instead": None}


def refused_tree(refusal: Refusal, words: str, remedy: str) -> Row:
    """Give the rule that refuses, the facts in words and what would change that."""
    refused = {
        "rule": refusal.bar.name,
        "reason": str(refusal.bar),
        "words": words,
        "remedy": remedy,
        "machines": {bar.name: count for bar, count in refusal.counts.items()},
    }
    return {**plain_tree(f"That may not be ({refusal.bar}). {words}"), "refused": refused}


def difference_tree(told: Difference) -> Row:
    """Give two plans step by step and goal by goal; goals that are switched off are left out."""
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


def flips_tree(turns: Flips | None) -> Row:
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


def _change(change: Change) -> Row:
    return {
        "plan": number(change.plan),
        "instead": number(change.instead),
        "difference": number(change.difference),
    }
