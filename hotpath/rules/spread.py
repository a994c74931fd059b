"""Rule SPREAD: one machine more keeps every hard spread constraint."""

import numpy as np

from hotpath.ledger import Ledger
from hotpath.spread import skew_of
from models.fleet import Mask


def keeps_skew(ledger: Ledger, need: int) -> Mask:
    """Mark the machines of which the need could take one more."""
    skew = skew_of(ledger, need)
    cells = ledger.inventory.machines.cell
    allowed = {int(cell): skew.allows(skew.place(cell)) for cell in np.unique(cells)}
    return np.fromiter((allowed[cell] for cell in cells.tolist()), np.bool_, len(cells))
