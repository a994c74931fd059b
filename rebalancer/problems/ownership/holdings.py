"""Who holds how many domains of each group: what a distribution starts from and ends in."""

from dataclasses import dataclass

import numpy as np

from models.fleet import Ints, Mask, freeze


@dataclass(frozen=True, eq=False, slots=True)
class Holdings:
    """Counts of domains by group (``G``, domains alike in their machines) and shard (``S``).

    Attributes
    ----------
    movable, fixed
        Shape ``(G, S)``. Domains that may change hands, and domains that stay where they are.
    open
        Shape ``(S,)``. The shards that are to have a share; the others are to be left with nothing.

    Raises
    ------
    ValueError
        When shapes disagree, a count is negative, no shard is open, or a closed one holds what
        must stay.
    """

    movable: Ints
    fixed: Ints
    open: Mask

    def __post_init__(self) -> None:
        freeze("movable", self.movable, (self.movable.shape[0], len(self.open)))
        freeze("fixed", self.fixed, self.movable.shape)
        freeze("open", self.open, (len(self.open),))
        if np.any(self.movable < 0) or np.any(self.fixed < 0):
            raise ValueError("there are fewer than no domains.")
        if not np.any(self.open):
            raise ValueError("no shard is open.")
        if np.any(self.fixed[:, ~self.open]):
            raise ValueError("a closed shard holds a domain that must stay.")

    @property
    def have(self) -> Ints:
        """Give all domains, shape ``(G, S)``."""
        return self.movable + self.fixed
