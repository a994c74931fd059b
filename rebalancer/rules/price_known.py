"""A speculative machine whose price is unknown is never bought, and so never handed over for it."""

import numpy as np

from models.fleet import Mask
from models.machine import State
from models.standing import Standing


def price_known(standing: Standing) -> Mask:
    """Mark the machines, ``(M,)``, that exist already or whose price is known."""
    fleet = standing.fleet
    unknown = np.isnan(fleet.numbers.price_per_hour)[fleet.machines.class_index]
    mask: Mask = (fleet.machines.state != State.SPECULATIVE) | ~unknown
    return mask
