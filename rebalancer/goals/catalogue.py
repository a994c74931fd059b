"""Every goal that a plan is weighed by, by name."""

from collections.abc import Callable

from models.rules import Goal
from rebalancer.draft import Draft
from rebalancer.goals.domain_fragmentation import domain_fragmentation
from rebalancer.goals.donor_headroom import donor_headroom
from rebalancer.goals.gang_spread import gang_spread
from rebalancer.goals.interruption_risk import interruption_risk
from rebalancer.goals.moves import moves
from rebalancer.goals.preemption_damage import preemption_damage
from rebalancer.goals.running_cost import running_cost
from rebalancer.goals.shard_balance import shard_balance
from rebalancer.goals.spot_diversity import spot_diversity
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
    Goal.DOMAIN_FRAGMENTATION: domain_fragmentation,
    Goal.GANG_SPREAD: gang_spread,
    Goal.SPOT_DIVERSITY: spot_diversity,
    Goal.DONOR_HEADROOM: donor_headroom,
}
"""In the order of ``models.rules.Goal``."""
