"""Rule SPREAD: one machine more keeps every hard spread constraint."""

import numpy as np

from hotpath.plain.ledger import Ledger
from hotpath.plain.spread import skew_of
from models.fleet import Mask


def keeps_skew(ledger: Ledger, need: int) -> Mask:
    """Mark the machines of which the need could take one more."""
    skew, cells = skew_of(ledger, need), ledger.inventory.machines.cell
    allowed = np.ones(len(ledger.inventory.fleet.cells), dtype=np.bool_)
    if skew.constraints:
        for cell in np.flatnonzero(ledger.inventory.present).tolist():
            allowed[cell] = skew.allows(skew.place(cell))
    mask: Mask = allowed[cells]
    return mask
