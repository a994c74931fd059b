"""Rule DOMAIN: a gang is in one domain; what it has pins it there."""

import numpy as np

from hotpath.plain.ledger import Ledger
from models.fleet import Codes, Mask


def gang_cells(ledger: Ledger, need: int) -> Codes:
    """Give the domain of each cell at the gang's level, shape ``(C,)``; -1 outside every one.

    A gang that has machines, or for which machines drain, is pinned: all other domains are -1.
    """
    level = ledger.matching.domains(ledger.needs[need].same or "")
    own = level[ledger.inventory.machines.cell[ledger.members(need)]]
    own = own[own >= 0]
    if len(own):
        return np.where(level == np.bincount(own).argmax(), level, -1).astype(np.int32)
    return level


def gang_domains(ledger: Ledger, need: int) -> Codes:
    """Give the domain of each machine, shape ``(m,)``; see ``gang_cells``."""
    domain: Codes = gang_cells(ledger, need)[ledger.inventory.machines.cell]
    return domain


def in_domain(ledger: Ledger, need: int) -> Mask:
    """Mark the machines in a domain whose matching machines, were all free, would hold the gang."""
    if not ledger.needs[need].is_gang:
        return np.ones(len(ledger.inventory), dtype=np.bool_)
    domain = gang_domains(ledger, need)
    usable = ledger.eligible(need) & (domain >= 0)
    room = np.bincount(domain[usable], minlength=int(domain.max(initial=-1)) + 1)
    large = np.append(room >= ledger.needs[need].count, False)
    mask: Mask = large[domain]
    return mask
