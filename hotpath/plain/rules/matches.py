"""Rule MATCHES: every requirement on the labels is met."""

from collections.abc import Sequence

import numpy as np

from hotpath.label_columns import LabelColumns
from models.bootstrap import is_bootstrap_key
from models.fleet import Mask
from models.need import Need


def matches(columns: LabelColumns, need: Need, bootstrap_keys: Sequence[str]) -> Mask:
    """Mark the cells, shape ``(C,)``, whose labels meet all that no bootstrap blob makes true."""
    mask = np.ones(len(columns.fleet.cells), dtype=np.bool_)
    for requirement in need.requirements:
        if not is_bootstrap_key(requirement.key, bootstrap_keys):
            mask &= columns.meets(requirement)
    return mask
