"""Every goal that a transfer is weighed by, by name."""

from collections.abc import Callable

from models.rules import Goal
from rebalancer.draft import Draft
from rebalancer.goals.interruption_risk import interruption_risk
from rebalancer.goals.moves import moves
from rebalancer.goals.preemption_damage import preemption_damage
from rebalancer.goals.running_cost import running_cost
from rebalancer.goals.shard_balance import shard_balance
from rebalancer.goals.time_to_ready import time_to_ready
from rebalancer.terms import Terms

GoalTerms = Callable[[Draft], Terms]

GOALS: dict[Goal, GoalTerms] = {
    Goal.PREEMPTION_DAMAGE: preemption_damage,
    Goal.RUNNING_COST: running_cost,
    Goal.INTERRUPTION_RISK: interruption_risk,
    Goal.MOVES: moves,
    Goal.TIME_TO_READY: time_to_ready,
    Goal.SHARD_BALANCE: shard_balance,
}
"""In the order of ``models.rules.Goal``. A weight for any other goal changes nothing here."""
