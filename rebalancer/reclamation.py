"""What it costs to take machines from the needs that they serve, beside the interruption."""

import numpy as np

from models.cost import DEAREST_USD
from models.fleet import Ints, Reals
from models.standing import Standing


def reclamation_usd(standing: Standing, rows: Ints) -> Reals:
    """Give the USD lost with each machine of ``rows``, ``(R,)``: its own penalty or its need's.

    The larger of both, ``DEAREST_USD`` at most; 0 where it serves nobody.
    """
    serves = np.maximum(standing.serves[rows], -1)
    of_need = np.array([*(need.reclamation_penalty for need in standing.fleet.needs), 0.0])[serves]
    larger = np.maximum(standing.fleet.machines.reclamation_penalty[rows], of_need)
    usd: Reals = np.where(serves >= 0, np.minimum(larger, DEAREST_USD), 0.0)
    return usd
