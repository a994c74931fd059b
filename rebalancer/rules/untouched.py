"""Pinned machines, and those of silent or shadow clusters, stay where they are."""

import numpy as np

from models.fleet import Mask
from models.standing import Standing


def untouched(standing: Standing) -> Mask:
    """Mark the machines, ``(M,)``, that may be touched at all."""
    fleet = standing.fleet
    # One more entry for "no cluster", which the code -1 finds.
    left_alone = np.append(fleet.silent | fleet.shadow, False)
    mask: Mask = ~fleet.machines.pinned & ~left_alone[fleet.machines.cluster]
    return mask
