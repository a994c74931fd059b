"""From the settings of a file to the parameters of a solve."""

from collections.abc import Callable

from models.plan import Plan
from models.rules import Goal
from models.settings import Settings
from rebalancer.limits import Limits, no_clock
from rebalancer.transfer_rules import Climbing, TransferRules


def rules_from(settings: Settings) -> TransferRules:
    """Give what the settings say about moves between shards."""
    rebalance = settings.rebalance
    migrates = rebalance.migrate == "on"
    climbing = Climbing(rebalance.migrate_horizon, settings.assign.spot_max_share)
    return TransferRules(
        min_gap=rebalance.min_gap,
        drain_percent=rebalance.drain_percent,
        window_seconds=rebalance.window,
        max_moves=rebalance.max_moves,
        bootstrap_keys=tuple(str(key) for key in settings.assign.bootstrap_keys),
        tier1=settings.shortfalls.tier1,
        max_wait_seconds=settings.assign.max_wait,
        migrate=migrates,
        climbing=climbing if migrates else None,
    )


def goals_from(settings: Settings) -> dict[Goal, float]:
    """Give the weight of every goal, USD a unit."""
    return {goal: settings.goals.weight(goal) for goal in Goal}


def unweighed(settings: Settings, plan: Plan) -> list[Goal]:
    """Give the goals that are switched on and that a plan went without."""
    return [
        goal for goal, weight in goals_from(settings).items() if weight and goal not in plan.goals
    ]


def limits_from(settings: Settings, clock: Callable[[], float] = no_clock) -> Limits:
    """Give the deadline, seed and workers of the settings; there is no limit of work."""
    rebalance = settings.rebalance
    return Limits(rebalance.deadline, None, rebalance.workers, rebalance.seed, clock)
