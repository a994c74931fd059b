"""Rule MATCHES: every requirement on the labels is met."""

from collections.abc import Sequence

import numpy as np

from models.bootstrap import is_bootstrap_key
from models.fleet import Fleet, Mask
from models.need import Need
from models.requirement import Requirement


def matches(fleet: Fleet, need: Need, bootstrap_keys: Sequence[str]) -> Mask:
    """Mark the cells, shape ``(C,)``, whose labels meet all that no bootstrap blob makes true."""
    asked = [r for r in need.requirements if not is_bootstrap_key(r.key, bootstrap_keys)]
    return meets_all(fleet, asked)


def meets_all(fleet: Fleet, requirements: Sequence[Requirement]) -> Mask:
    """Mark the cells, shape ``(C,)``, whose labels meet every one of the requirements."""
    mask = np.ones(len(fleet.cells), dtype=np.bool_)
    for requirement in requirements:
        values, codes = fleet.cell_label_codes(requirement.key)
        mask &= requirement.matches_each(values)[codes]
    return mask
