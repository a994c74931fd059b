"""What a plan with replacements says of its goals, counted again from its moves."""

from collections.abc import Iterator

import numpy as np

from models.audit.laws import Law
from models.audit.transfers import Transfers
from models.audit.violation import Violation
from models.cost import DEAREST_USD
from models.machine import State
from models.rules import Goal

TOLERANCE = 1e-9
"""Of the largest amount: sums of floats depend on their order."""


def claim_violations(transfers: Transfers) -> Iterator[Violation]:
    """Compare what goals are said to change by with what the moves make of them.

    Only goals that are sums over moves, and only of a plan in which a need climbs.
    """
    if not transfers.climbs.any():
        return
    for goal, change in _changes(transfers).items():
        value = transfers.plan.goals.get(goal)
        if value is None:
            continue
        size = 1 + abs(value.before) + abs(value.after) + abs(change)
        if not abs(value.after - value.before - change) <= TOLERANCE * size:
            message = f"{goal} said to change by {value.after - value.before}, found {change}"
            yield Violation(Law.GOALS, "the plan", message)


def _changes(transfers: Transfers) -> dict[Goal, float]:
    fleet, row, need, victim = transfers.fleet, transfers.row, transfers.need, transfers.victim
    machines, kind = fleet.machines, fleet.machines.class_index[row]
    known = np.nan_to_num(fleet.numbers.price_per_hour, nan=0.0)
    price = np.minimum(known, DEAREST_USD)[kind]
    created = machines.state[row] == State.SPECULATIVE
    released = transfers.given_up & fleet.numbers.is_elastic[kind]
    # One entry more for nobody, whom -1 finds.
    once = np.array([*(min(n.interruption_penalty, DEAREST_USD) for n in fleet.needs), 0.0])
    each = np.array([*(n.reclamation_penalty for n in fleet.needs), 0.0])
    is_gang = np.array([*(n.is_gang for n in fleet.needs), False])
    after = np.where(transfers.given_up, 0.0, once[need])
    evicted = victim >= 0
    taken = np.minimum(np.maximum(machines.reclamation_penalty[row], each[victim]), DEAREST_USD)
    damage = float(taken[evicted].sum()) + float(once[victim[evicted & ~is_gang[victim]]].sum())
    damage += float(once[np.unique(victim[evicted & is_gang[victim]])].sum())
    risk = fleet.numbers.interruption_probability[kind]
    return {
        Goal.RUNNING_COST: float(price[created].sum() - price[released].sum()),
        Goal.INTERRUPTION_RISK: float((risk * (after - once[victim])).sum()),
        Goal.PREEMPTION_DAMAGE: damage,
        Goal.MOVES: float(len(row)),
    }
