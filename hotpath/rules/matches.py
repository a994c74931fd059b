"""Rule MATCHES: every requirement on the labels is met."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from models.fleet import Fleet, Mask
from models.requirement import Requirement


def is_bootstrap_key(key: str, bootstrap_keys: Sequence[str]) -> bool:
    """Tell whether the bootstrap blob makes requirements on this label true."""
    return any(fnmatchcase(key, pattern) for pattern in bootstrap_keys)


def matches(fleet: Fleet, requirements: Sequence[Requirement]) -> Mask:
    """Mark the cells, shape ``(C,)``, whose labels meet every requirement."""
    mask = np.ones(len(fleet.cells), dtype=np.bool_)
    for requirement in requirements:
        mask &= requirement.matches_each(fleet.cell_labels(requirement.key))
    return mask
