"""Rule PRICE_KNOWN: a speculative machine of unknown price is never bought."""

import numpy as np

from hotpath.plain.ledger import Ledger
from models.fleet import Mask
from models.machine import State


def price_known(ledger: Ledger, need: int) -> Mask:
    """Mark the machines whose price does not keep them from the need."""
    speculative = ledger.inventory.has_state(State.SPECULATIVE)
    mask: Mask = ~speculative | ~np.isnan(ledger.inventory.price_per_hour)
    return mask
