"""The blast radius: in which window each drain of a plan is due.

A donor has at most ``max(1, hosts * percent // 100)`` machines drained in one window. This limits
what is applied in a window, not what is planned, so a plan may run over many windows.
"""

from dataclasses import dataclass, field

import numpy as np

from models.fleet import Ints
from rebalancer.snapshot import Snapshot


def allowances(snapshot: Snapshot) -> Ints:
    """Give the machines of each shard that may be drained in one window."""
    machines = snapshot.fleet.machines
    hosts = np.bincount(machines.shard[machines.hosted], minlength=len(snapshot.fleet.shards))
    allowed: Ints = np.maximum(1, hosts * snapshot.rules.drain_percent // 100)
    return allowed


@dataclass(slots=True)
class Windows:
    """What is taken of the windows of one donor; ask for the most important drains first."""

    allowance: int
    taken: list[int] = field(default_factory=list)

    def spread(self, machines: int) -> list[tuple[int, int]]:
        """Take the earliest room for machines that may go apart: (window, machines) pairs."""
        parts, window = [], 0
        while machines > 0:
            part = min(machines, self._room(window))
            if part:
                self._take(window, part)
                parts.append((window, part))
            machines, window = machines - part, window + 1
        return parts

    def together(self, machines: int) -> list[tuple[int, int]]:
        """Take room for machines that belong together: one window, or the fewest in a row."""
        window = 0
        # Orders take the first room there is, so no empty window has a taken one behind it: who
        # starts in an empty one finds those in a row after it empty too.
        while self._room(window) < min(machines, self.allowance):
            window += 1
        parts = []
        while machines > 0:
            part = min(machines, self._room(window))
            self._take(window, part)
            parts.append((window, part))
            machines, window = machines - part, window + 1
        return parts

    def _room(self, window: int) -> int:
        return self.allowance - (self.taken[window] if window < len(self.taken) else 0)

    def _take(self, window: int, machines: int) -> None:
        self.taken += [0] * (window + 1 - len(self.taken))
        self.taken[window] += machines
