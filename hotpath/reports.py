"""What a provider reports of machines: all that may change while they are listed, as columns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.fleet import Codes, Ints, Machines, Mask, Reals
from models.settings import Settings


@dataclass(frozen=True, eq=False, slots=True)
class Reports:
    """One entry a machine, each of shape ``(n,)``.

    Attributes
    ----------
    state
        Code of ``models.machine.State``.
    serves, cluster
        Row in the fleet's needs and clusters; -1 = none.
    reclamation_penalty
        The machine's own, USD.
    state_since
        Seconds on the axis of ``now``; ``-inf`` long ago.
    noticed
        The provider announced that it takes the machine back.
    slow
        Longer in coming than ``assign.max_wait``.
    """

    state: NDArray[np.uint8]
    serves: Codes
    cluster: Codes
    reclamation_penalty: Reals
    state_since: Reals
    pinned: Mask
    noticed: Mask
    slow: Mask
    hosted: Mask

    def __len__(self) -> int:
        return len(self.state)

    def take(self, places: Ints) -> "Reports":
        """Give what is said of some, in the given order."""
        return Reports(*(getattr(self, name)[places] for name in self.__slots__))


def reports_of(machines: Machines, settings: Settings) -> Reports:
    """Give what is said of machines."""
    return Reports(
        state=machines.state.astype(np.uint8),
        serves=machines.serves.astype(np.int32, copy=False),
        cluster=machines.cluster.astype(np.int32, copy=False),
        reclamation_penalty=machines.reclamation_penalty.astype(np.float64, copy=False),
        state_since=machines.state_since.astype(np.float64, copy=False),
        pinned=machines.pinned,
        noticed=~np.isnan(machines.reclaim_at),
        slow=machines.ready_seconds > settings.assign.max_wait,
        hosted=machines.hosted,
    )
