"""Rule BACKOFF: what failed lately is left alone for a while."""

import numpy as np

from hotpath.plain.ledger import Ledger
from models.fleet import Mask
from models.machine import State


def out_of_backoff(ledger: Ledger, need: int) -> Mask:
    """Mark the machines that no back-off keeps from the need."""
    speculative = ledger.inventory.has_state(State.SPECULATIVE) & (ledger.serves < 0)
    priced = ~np.isnan(ledger.inventory.price_per_hour)
    mask: Mask = ~(speculative & priced & ~ledger.speculative)
    return mask
