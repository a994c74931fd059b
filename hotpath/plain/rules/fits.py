"""Rule FITS: enough of every resource, compared as exact integers."""

import numpy as np

from models.fleet import Fleet, Mask, resource_vector
from models.need import Need


def fits(fleet: Fleet, need: Need) -> Mask:
    """Mark the cells, shape ``(C,)``, whose machines have what the need asks of each."""
    wanted = resource_vector(fleet, need)
    if wanted is None:
        return np.zeros(len(fleet.cells), dtype=np.bool_)
    by_class = np.all(fleet.numbers.resources >= wanted, axis=1)
    mask: Mask = by_class[fleet.cells.class_index]
    return mask
