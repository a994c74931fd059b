"""The roll of members: which machines each need had when the books were opened."""

from dataclasses import dataclass, field

import numpy as np

from models.fleet import Codes, Ints, Mask


@dataclass(eq=False, slots=True)
class Roll:
    """Machines sorted by the need they count or drain for; ``start`` has shape ``(N + 1,)``.

    ``changed`` holds the needs whose members are not those of the roll any more.
    """

    start: Ints
    machines: Ints
    changed: set[int] = field(default_factory=set)

    @staticmethod
    def empty() -> "Roll":
        """Give the roll of nobody."""
        return Roll(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def of(self, need: int) -> Ints:
        """Give the members of a need that has not changed."""
        return self.machines[self.start[need] : self.start[need + 1]]

    def copy(self) -> "Roll":
        """Give a roll that can change without a trace in this one."""
        return Roll(self.start, self.machines, set(self.changed))


def roll_of(serves: Codes, counted: Mask, needs: int) -> Roll:
    """Call the roll; ``serves`` and ``counted`` have shape ``(m,)``."""
    machines = np.flatnonzero(counted & (serves >= 0))
    machines = machines[np.argsort(serves[machines], kind="stable")]
    start = np.searchsorted(serves[machines], np.arange(needs + 1)).astype(np.int64)
    return Roll(start, machines)
