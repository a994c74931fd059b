"""Why the plan makes a move, and why it does not do something else: what that would change."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.fleet import Mask
from models.outcome import Outcome
from models.plan import Move, Plan
from planner.explain.asked_plan import AskedPlan
from rebalancer.instead.case import Best, Case, best
from rebalancer.instead.comparison import (
    Comparison,
    Decider,
    GoalContrast,
    compared,
    goal_contrasts,
)
from rebalancer.instead.condition import Condition
from rebalancer.instead.flip import Flips, flips
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


@dataclass(frozen=True, eq=False, slots=True)
class ByItself:
    """What the goals gain or pay by the unit of a move, all else alike; None off lanes."""

    changes: tuple[GoalContrast, ...] | None


@dataclass(frozen=True, eq=False, slots=True)
class Refused:
    """A rule in the way: the facts in words, and what would change that."""

    refusal: Refusal
    words: str
    remedy: str


@dataclass(frozen=True, eq=False, slots=True)
class Instead:
    """The best plan in which it is as asked, beside the plan there is.

    ``flips`` are the weights from which on it would be chosen; None where nobody asked.
    """

    plan: Plan
    is_proven: bool
    comparison: Comparison
    flips: Flips | None


@dataclass(frozen=True, eq=False, slots=True)
class AskedMoves:
    """Every move of a plan, in its order, with what its unit changes by itself."""

    asked: AskedPlan
    by_itself: Sequence[ByItself]


@dataclass(frozen=True, eq=False, slots=True)
class AskedMove:
    """What was asked for about a need or one of its moves, and what comes of it.

    ``answer`` is a sentence where no comparison is needed or to be had. ``by_itself`` is None where
    something else was asked.
    """

    asked: AskedPlan
    need: int
    move: Move | None
    question: str
    answer: str | Refused | Instead
    by_itself: ByItself | None = None


def explain_plan(asked: AskedPlan) -> AskedMoves:
    """Give every move with what its unit changes by itself, goal by goal."""
    case = asked.case()
    return AskedMoves(asked, [_by_itself(case, asked.plan, move) for move in asked.plan.moves])


def explain_move(asked: AskedPlan, move: Move) -> AskedMove:
    """Give a move, what it changes by itself, and what the best plan without it would be."""
    case, question = asked.case(), f"without {move.id}"
    condition = forbid(case.draft, case.plan, asked.plan, move)
    if not len(condition.lanes):
        # What climbs back comes once all else is decided, and is decided in another way.
        name = asked.fleet.needs[move.need].name
        return AskedMove(asked, move.need, move, question, f"{name} would keep what it has.")
    by_itself = _by_itself(case, asked.plan, move)
    answer = _compared(asked, case, condition)
    return AskedMove(asked, move.need, move, question, answer, by_itself)


def explain_instead(
    asked: AskedPlan, need: int, forced: Forced, move: Move | None = None
) -> AskedMove:
    """Give what the best plan would be in which a need, of this row, is served from there."""
    question = f"with {forced.name} for {asked.fleet.needs[need].name}"
    return AskedMove(asked, need, move, question, _forced(asked, need, forced.machines))


def _forced(asked: AskedPlan, need: int, machines: Mask) -> str | Refused | Instead:
    said = known(asked.standing, asked.snapshot, asked.plan, need, machines)
    case = asked.case(machines)
    demand = demand_of(case.draft, need)
    if demand is None or said:
        return said
    refusal = refused_at_once(case.draft.snapshot, demand, machines)
    if refusal is not None:
        return _refused(case.draft.snapshot, demand, refusal)
    condition = force(case.draft, demand, machines)
    if condition.holds(case.plan):
        return "The plan does that."
    return _compared(asked, case, condition, demand)


def _by_itself(case: Case, plan: Plan, move: Move) -> ByItself:
    if not moved(case.draft, plan, move).any():
        return ByItself(None)
    less = without_unit(case.draft, case.plan, plan, move)
    return ByItself(goal_contrasts(case, less, case.plan))


def _compared(
    asked: AskedPlan, case: Case, condition: Condition, demand: int | None = None
) -> str | Refused | Instead:
    """Solve under a condition and compare, or say why that is not to be had."""
    found = best(case, condition)
    if found.counts is None:
        return _not_found(case, condition, found, demand)
    told = compared(case, found.counts)
    is_turning = told.decider is Decider.GOALS and not told.is_better
    is_turning &= asked.plan.outcome is Outcome.OPTIMAL
    turns = flips(case, condition, found.counts) if is_turning else None
    return Instead(asked.judged(case, found.counts), found.proven, told, turns)


def _not_found(case: Case, condition: Condition, found: Best, demand: int | None) -> str | Refused:
    bar = refused_together(case, condition) if found.proven else None
    if bar is None or demand is None:
        return NO_ANSWER
    return _refused(case.draft.snapshot, demand, Refusal(bar, None, {}))


def _refused(snapshot: Snapshot, demand: int, refusal: Refusal) -> Refused:
    return Refused(refusal, *about(snapshot, demand, refusal.bar, refusal.machine))
