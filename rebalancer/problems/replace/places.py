"""Where a need with hard spreads has its machines: a replacement changes no skew.

The new machine stands where the old one stood, by the values of every hard spread at once: so
whatever the skew is, it stays.
"""

from dataclasses import dataclass, field

import numpy as np

from hotpath.matching import Matching
from models.distinct import distinct
from models.fleet import Codes
from models.need import Need


@dataclass(frozen=True, eq=False, slots=True)
class Places:
    """Places by cell, each set of keys once; ``(C,)``, -1 where a label is absent or empty."""

    matching: Matching
    _known: dict[tuple[str, ...], Codes] = field(default_factory=dict)

    def of(self, need: Need) -> Codes:
        """Give the place of each cell for a need; 0 everywhere for one without a hard spread."""
        keys = tuple(sorted({spread.key for spread in need.spread if spread.is_hard}))
        if keys not in self._known:
            columns = [self.matching.values(key) for key in keys]
            if columns:
                stacked = np.stack(columns, axis=1).astype(np.int32)
                places = np.where((stacked < 0).any(axis=1), -1, distinct(stacked)[0])
            else:
                places = np.zeros(len(self.matching.fleet.cells), dtype=np.int32)
            self._known[keys] = places.astype(np.int32)
        return self._known[keys]
