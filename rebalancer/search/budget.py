"""What is left of the limits of a search: seconds by the clock given, work as it is reported."""

from dataclasses import dataclass, field

from rebalancer.limits import Limits

SMALLEST_LIMIT = 1e-3
"""Below so many seconds, or so much work, nothing more is asked of the solver."""


@dataclass(slots=True)
class Budget:
    """Limits that are used up; ``work`` is what was done so far."""

    limits: Limits
    work: float = 0.0
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.limits.clock()

    def left(self, share: float = 1.0) -> Limits:
        """Give a share of what is left, to be used up by the same clock."""
        limits = self.limits
        seconds, work = limits.seconds, limits.work
        if seconds is not None:
            seconds = share * (seconds - (limits.clock() - self.started))
        if work is not None:
            work = share * (work - self.work)
        return Limits(seconds, work, limits.workers, limits.seed, limits.clock)

    @property
    def is_spent(self) -> bool:
        """Tell whether too little is left to ask for anything more."""
        left = self.left()
        return any(x is not None and x < SMALLEST_LIMIT for x in (left.seconds, left.work))
