"""Rule FLOOR: so many of a need's machines are taken only where nothing interrupts them."""

import numpy as np

from hotpath.plain.ledger import Ledger
from models.fleet import Mask


def risky_left(ledger: Ledger, need: int) -> int:
    """Give how many machines with p > 0 the need may still take."""
    asked, columns = ledger.needs[need], ledger.inventory.machines
    own = ledger.members(need)
    p = ledger.inventory.fleet.numbers.interruption_probability[columns.class_index[own]]
    return max(0, asked.count - asked.floor - int(np.count_nonzero(p > 0)))


def above_floor(ledger: Ledger, need: int) -> Mask:
    """Mark the machines that the need's floor lets it take."""
    numbers, columns = ledger.inventory.fleet.numbers, ledger.inventory.machines
    safe: Mask = numbers.interruption_probability[columns.class_index] <= 0
    return safe | (risky_left(ledger, need) > 0)
