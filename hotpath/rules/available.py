"""Rule AVAILABLE: idle or speculative, and not spoken for by anybody who may keep it."""

from hotpath.ledger import Ledger
from models.fleet import Mask
from models.machine import State


def available(ledger: Ledger, need: int) -> Mask:
    """Mark the machines that the need may have now, victims among them.

    In transition, failed, deleted by this cycle, or about to be reclaimed: not available.
    """
    waiting = ledger.inventory.has_state(State.SPECULATIVE) & (ledger.serves < 0)
    mask: Mask = ledger.idle_for(need) | waiting | ledger.configured()
    return mask
