"""What the needs of a fleet say of being interrupted, as columns."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Reals
from models.need import Need


@dataclass(frozen=True, eq=False, slots=True)
class Terms:
    """Numbers of the needs; the reals have one entry more at the end, 0, for no need (-1).

    Attributes
    ----------
    priority
        Shape ``(N,)``.
    drain_seconds, interruption_penalty, reclamation_penalty
        Shape ``(N + 1,)``. Seconds; USD per interruption; USD per machine taken away.
    """

    priority: Ints
    drain_seconds: Reals
    interruption_penalty: Reals
    reclamation_penalty: Reals


def terms_of(needs: tuple[Need, ...]) -> Terms:
    """Give the terms of the needs."""
    return Terms(
        np.array([need.priority for need in needs], dtype=np.int64),
        np.array([*(need.drain_seconds for need in needs), 0.0], dtype=np.float64),
        np.array([*(need.interruption_penalty for need in needs), 0.0], dtype=np.float64),
        np.array([*(need.reclamation_penalty for need in needs), 0.0], dtype=np.float64),
    )
