"""Only machines that a cycle left free, or that run and may be drained, can move."""

import numpy as np

from models.fleet import Mask
from models.machine import State
from models.standing import Standing


def available(standing: Standing) -> Mask:
    """Mark the machines, ``(M,)``.

    What is in transition, reserved or under notice is out. So is what is backed off: a class, quota
    or subnet that failed lately is not ``standing.free``.
    """
    state = standing.fleet.machines.state
    stands_free = np.isin(state, (State.IDLE, State.SPECULATIVE)) & standing.free
    runs = standing.excess | (standing.victim & (standing.serves >= 0))
    noticed = ~np.isnan(standing.fleet.machines.reclaim_at)
    mask: Mask = (stands_free | ((state == State.CONFIGURED) & runs)) & ~noticed
    return mask
