"""Rule PRIORITY: what is in use gives way only to a need of strictly higher priority."""

from hotpath.plain.ledger import Ledger
from models.fleet import Mask
from models.machine import NOBODY


def gives_way(ledger: Ledger, need: int) -> Mask:
    """Mark the machines that are not kept from the need by whom they serve.

    A young excess still belongs to the need it names; an excess that has stood, to nobody.
    """
    excess = ledger.excess & (
        ledger.stood | (ledger.names == NOBODY) | ledger.is_lower(ledger.names, need)
    )
    serving = ledger.held & ledger.is_lower(ledger.serves, need)
    mask: Mask = ~ledger.configured() | excess | serving
    return mask
