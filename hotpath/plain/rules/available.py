"""Rule AVAILABLE: idle, speculative or leaving, and not spoken for by anybody who may keep it."""

from hotpath.plain.ledger import Ledger
from models.fleet import Mask
from models.machine import NOBODY, State


def available(ledger: Ledger, need: int) -> Mask:
    """Mark the machines that the need may have now, victims among them.

    What drains for nobody or for a strictly lower need is there for it to wait for. In transition
    otherwise, failed, deleted by this cycle, or about to be reclaimed: not available.
    """
    waiting = ledger.inventory.has_state(State.SPECULATIVE) & (ledger.serves < 0)
    leaving = ledger.draining & ((ledger.serves == NOBODY) | ledger.is_lower(ledger.serves, need))
    mask: Mask = ledger.idle_for(need) | waiting | leaving | ledger.configured()
    return mask
