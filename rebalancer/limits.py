"""What bounds a solve, and by what it weighs when nobody says."""

from collections.abc import Callable
from dataclasses import dataclass

from models.rules import Goal

DEFAULT_GOALS: dict[Goal, float] = {
    Goal.PREEMPTION_DAMAGE: 1.0,
    Goal.RUNNING_COST: 1.0,
    Goal.INTERRUPTION_RISK: 1.0,
    Goal.MOVES: 0.1,
    Goal.TIME_TO_READY: 0.0001,
    Goal.SHARD_BALANCE: 0.01,
    Goal.DOMAIN_FRAGMENTATION: 0.1,
    Goal.GANG_SPREAD: 0.1,
    Goal.SPOT_DIVERSITY: 0.1,
    Goal.DONOR_HEADROOM: 0.05,
}
"""USD per unit of each goal, as in the settings."""


def no_clock() -> float:
    """Stand for a clock where none is given: time does not pass."""
    return 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """When a solve must stop.

    Attributes
    ----------
    seconds
        Wall time for the whole solve, read from ``clock``; None = no limit.
    work
        The solver's own deterministic measure, for the whole solve; None = no limit. With one
        worker and no limit in seconds that binds, the same snapshot and seed give the same plan.
    workers
        Threads of the solver; 0 = one per core.
    clock
        Monotonic seconds. Time comes in as data: this package never reads a clock of its own.
        Without one every step of the solve may take the full ``seconds``.
    """

    seconds: float | None = 20.0
    work: float | None = None
    workers: int = 1
    seed: int = 0
    clock: Callable[[], float] = no_clock
