"""What an account may have: so many calls and machines a second, machines in all, addresses."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from models.failure import FailureClass
from providers.machine import Failure
from providers.simulated.knobs import Knobs, Rate
from providers.simulated.rules import matches, matching
from providers.simulated.world import SUBNET, World


@dataclass(slots=True)
class Bucket:
    """A token bucket that begins full; see the token bucket of any text on traffic shaping."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    at: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = self.burst

    def take(self, now: float) -> bool:
        """Take one token if there is one."""
        if self.rate == inf:
            return True
        self.tokens = min(self.burst, self.tokens + max(now - self.at, 0.0) * self.rate)
        self.at = max(now, self.at)
        # A hair less than one after many small additions is one.
        if self.tokens < 1 - 1e-9:
            return False
        self.tokens -= 1
        return True

    def wait(self) -> float:
        """Give the seconds until there is a token again, if nobody takes one before."""
        return 0.0 if self.rate == inf else max(1 - self.tokens, 0.0) / self.rate


def call_bucket(rate: Rate) -> Bucket:
    """Give the bucket of calls: a second's worth may come at once, one at least."""
    return Bucket(rate.calls, max(rate.calls, 1.0))


def machine_bucket(rate: Rate) -> Bucket:
    """Give the bucket of machines."""
    return Bucket(rate.machines, rate.burst)


def over_limit(world: World, row: int, knobs: Knobs, now: float) -> Failure | None:
    """Say which limit a machine would break if it became real, or None."""
    for quota in knobs.quotas:
        if matches(world, row, quota.match):
            used = int(np.count_nonzero(world.holding & matching(world, quota.match)))
            if used >= quota.count:
                said = f"{used} of {quota.count} machines of this kind are in use."
                return Failure(quota.kind, said, now)
    subnet = world.label(row, SUBNET)
    if subnet in knobs.subnets:
        used = int(np.count_nonzero(world.holding & world.labelled(SUBNET, subnet)))
        if used >= knobs.subnets[subnet]:
            said = f"subnet {subnet} has no address left of {knobs.subnets[subnet]}."
            return Failure(FailureClass.IP, said, now)
    return None
