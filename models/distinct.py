"""Number the distinct rows of a table of codes."""

import numpy as np
from numpy.typing import NDArray

_LARGEST = 2**63 - 1


def distinct(stacked: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the distinct rows in their order; give each row's number, and where each stands first.

    Each row becomes one number, since ``np.unique(axis=0)`` sorts rows as opaque bytes. Numbers
    that would outgrow an integer are replaced by their ranks on the way.
    """
    codes = np.zeros(len(stacked), dtype=np.int64)
    size = 1
    for column in stacked.T:
        # Codes go from -1 to the largest, so many different ones there are at most.
        width = int(column.max(initial=-1)) + 2
        if size * width > _LARGEST:
            codes = np.unique(codes, return_inverse=True)[1]
            size = len(stacked)
        codes = codes * width + column
        size *= width
    _, first, numbers = np.unique(codes, return_index=True, return_inverse=True)
    return numbers.astype(np.int32), first.astype(np.int64)
