"""Rule UNTOUCHED: pinned machines and those of silent or shadow clusters stay as they are."""

from hotpath.plain.ledger import Ledger
from models.fleet import Mask


def may_be_touched(ledger: Ledger, need: int) -> Mask:
    """Mark the machines that may be moved; those that are not configured may always be."""
    mask: Mask = ~ledger.configured() | ledger.movable()
    return mask
