"""What an account may have: so many calls and machines a second, machines in all, addresses."""

from dataclasses import dataclass, field

import numpy as np

from models.failure import FailureClass
from models.labels import SUBNET
from providers.bucket import Bucket, Limit
from providers.machine import Failure
from providers.simulated.knobs import Knobs, Quota, Rate
from providers.simulated.rules import matching
from providers.simulated.world import World


def call_bucket(rate: Rate) -> Bucket:
    """Give the bucket of calls: a second's worth may come at once, one at least."""
    return Bucket(Limit(rate.calls, max(rate.calls, 1.0)))


def machine_bucket(rate: Rate) -> Bucket:
    """Give the bucket of machines."""
    return Bucket(Limit(rate.machines, rate.burst))


@dataclass(slots=True)
class Uses:
    """How much of each quota and subnet is used, counted when first asked for.

    Holds for one call of Create: whatever else happens, count anew. One count looks at all
    machines (2 ms for a million), so counting for each order would be slow.
    """

    knobs: Knobs
    counts: dict[Quota | str, int] = field(default_factory=dict)

    def refusal(self, world: World, row: int, now: float) -> Failure | None:
        """Say which limit a machine would break if it became real, or None."""
        for limit in self._limits(world, row):
            if limit not in self.counts:
                marked = world.used & _counted(world, limit)
                self.counts[limit] = int(np.count_nonzero(marked))
            used = self.counts[limit]
            if isinstance(limit, Quota):
                if used >= limit.count:
                    said = f"{used} of {limit.count} machines of this kind are in use."
                    return Failure(limit.kind, said, now)
            elif used >= (most := self.knobs.subnets[limit]):
                said = f"subnet {limit} has no address left of {most}."
                return Failure(FailureClass.IP, said, now)
        return None

    def add(self, world: World, row: int) -> None:
        """Count a machine that begins to become real."""
        for limit in self._limits(world, row):
            if limit in self.counts:
                self.counts[limit] += 1

    def _limits(self, world: World, row: int) -> list[Quota | str]:
        """Give the quotas, then the subnet, by its name, that a machine counts for."""
        quotas: list[Quota | str] = [
            quota for quota in self.knobs.quotas if matching(world, quota.match)[row]
        ]
        subnet = world.label(row, SUBNET) if self.knobs.subnets else ""
        return [*quotas, subnet] if subnet in self.knobs.subnets else quotas


def _counted(world: World, limit: Quota | str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if isinstance(limit, Quota):
        return matching(world, limit.match)
    return world.labelled(SUBNET, limit)
