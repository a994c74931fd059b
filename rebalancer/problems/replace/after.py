"""What the goals come to once the replacements of a plan are made.

What is counted by the move is added up: money, moves, seconds. What depends on how machines stand
together is counted anew on the fleet as the plan leaves it, with and without the replacements. A
fixed machine that is drained stands idle; an elastic one is released, and is no cost any more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from models.cost import DEAREST_USD
from models.fleet import Fleet, Ints
from models.machine import NOBODY, State
from models.outcome import Outcome
from models.plan import Alternative, GoalValue, Move, MoveKind, Plan
from models.rules import Goal
from models.standing import Standing
from rebalancer.draft import Draft, Lanes
from rebalancer.goals.catalogue import GOALS
from rebalancer.reclamation import reclamation_usd
from rebalancer.snapshot import Demand, Snapshot, Supply

TOGETHER = (
    Goal.DOMAIN_FRAGMENTATION,
    Goal.GANG_SPREAD,
    Goal.SPOT_DIVERSITY,
    Goal.DONOR_HEADROOM,
)
"""Goals that no sum over moves gives."""


def unproven(plan: Plan) -> Plan:
    """Give the plan as one beside which there may be a better one."""
    is_optimal = plan.outcome is Outcome.OPTIMAL
    return replace(plan, outcome=Outcome.FEASIBLE) if is_optimal else plan


def with_moves(snapshot: Snapshot, plan: Plan, moves: Sequence[Move]) -> Plan:
    """Give the plan with replacements, and its goals as they are then.

    What was proven of a goal that they change is not proven any more.
    """
    changes = _changes(snapshot, plan, moves)
    goals = {}
    for goal, value in plan.goals.items():
        change = changes.get(goal, 0.0)
        after = value.after + change
        bound = None if change else value.bound
        goals[goal] = GoalValue(value.weight, value.before, after, value.weight * after, bound)
    return replace(
        plan,
        moves=(*plan.moves, *moves),
        goals=goals,
        alternatives=tuple(_changed(other, changes) for other in plan.alternatives),
    )


def _changed(other: Alternative, changes: Mapping[Goal, float]) -> Alternative:
    """Give another choice of the plan with the same replacements."""
    after = {goal: value + changes.get(goal, 0.0) for goal, value in other.after.items()}
    return replace(other, after=after)


def _changes(snapshot: Snapshot, plan: Plan, moves: Sequence[Move]) -> dict[Goal, float]:
    """Give by how much the replacements change each goal of the plan."""
    changes = _sums(snapshot, moves)
    asked = [goal for goal in TOGETHER if goal in plan.goals]
    if asked:
        without = left_by(snapshot.standing, plan.moves)
        together = left_by(without, moves)
        before, after = _empty(snapshot, without), _empty(snapshot, together)
        for goal in asked:
            changes[goal] = GOALS[goal](after).constant - GOALS[goal](before).constant
    return changes


def _sums(snapshot: Snapshot, moves: Sequence[Move]) -> dict[Goal, float]:
    fleet, machines, numbers = snapshot.fleet, snapshot.fleet.machines, snapshot.fleet.numbers
    paid = dict.fromkeys(
        (
            Goal.PREEMPTION_DAMAGE,
            Goal.RUNNING_COST,
            Goal.INTERRUPTION_RISK,
            Goal.MOVES,
            Goal.TIME_TO_READY,
        ),
        0.0,
    )
    broken: set[int] = set()
    for move in moves:
        need, rows, k = fleet.needs[move.need], list(move.machines), move.machine_class
        once = min(need.interruption_penalty, DEAREST_USD)
        risk = float(numbers.interruption_probability[k]) * once * len(rows)
        price = min(float(numbers.price_per_hour[k]), DEAREST_USD)
        paid[Goal.MOVES] += len(rows)
        if move.kind is MoveKind.REPLACE:
            new = machines.state[rows] == State.SPECULATIVE
            paid[Goal.RUNNING_COST] += price * int(new.sum())
            paid[Goal.TIME_TO_READY] += float(machines.ready_seconds[rows][new].sum())
            paid[Goal.INTERRUPTION_RISK] += risk
        else:
            paid[Goal.INTERRUPTION_RISK] -= risk
            paid[Goal.RUNNING_COST] -= price * len(rows) if numbers.is_elastic[k] else 0.0
            lost = reclamation_usd(snapshot.standing, np.array(rows, dtype=np.int64))
            paid[Goal.PREEMPTION_DAMAGE] += float(lost.sum())
            times = len(rows) if not need.is_gang else int(move.need not in broken)
            paid[Goal.PREEMPTION_DAMAGE] += once * times
            broken.add(move.need)
    return paid


def left_by(standing: Standing, moves: Iterable[Move]) -> Standing:
    """Give the standing once the moves are made, as far as goals look at how machines stand.

    What is drained for somebody serves them; what a need drains for itself is free.
    """
    fleet, machines = standing.fleet, standing.fleet.machines
    serves, free, state = standing.serves.copy(), standing.free.copy(), machines.state.copy()
    hosts, cluster = machines.host_refs.copy(), machines.cluster.copy()
    for move in moves:
        rows = list(move.machines)
        if move.victim == move.need:
            is_elastic = bool(fleet.numbers.is_elastic[move.machine_class])
            serves[rows], cluster[rows], free[rows] = NOBODY, NOBODY, True
            state[rows] = State.SPECULATIVE if is_elastic else State.IDLE
            if is_elastic:
                hosts[rows] = None
        else:
            # Whether there is a host is all that is asked.
            serves[rows], free[rows], hosts[rows] = move.need, False, ""
    columns = replace(machines, state=state, host_refs=hosts, cluster=cluster)
    after: Fleet = replace(fleet, machines=columns)
    return replace(standing, fleet=after, serves=serves, free=free)


def _empty(snapshot: Snapshot, standing: Standing) -> Draft:
    """Give a draft in which nothing moves: its goals are what they are now."""
    none: Ints = np.empty(0, dtype=np.int64)
    reals, marks = np.empty(0, dtype=np.float64), np.empty(0, dtype=np.bool_)
    supply = Supply(none, none, none, none, none, reals, reals, ())
    demand = Demand(none, none, none, none, marks)
    still = replace(
        snapshot,
        standing=standing,
        supply=supply,
        demand=demand,
        eligible=np.empty((0, 0), dtype=np.bool_),
    )
    return Draft(still, Lanes(none, none, none), ())
