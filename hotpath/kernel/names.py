"""The ids of a shard's machines, as one column of bytes: no object is kept for any of them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.fleet import Codes, Ints, Machines
from models.machine import NOBODY


@dataclass(frozen=True, eq=False, slots=True)
class Names:
    """By place in the shard, ``(m,)``, sorted by class, and inside a class by id.

    Attributes
    ----------
    ids
        UTF-8, whose order is that of the texts.
    starts
        Shape ``(K + 1,)``. First place of each class.
    """

    ids: NDArray[np.bytes_]
    starts: Ints

    def name(self, place: int) -> str:
        """Give the id of a machine."""
        return str(self.ids[place], "utf-8")

    def places(self, ids: Iterable[str]) -> Codes:
        """Give the place of each of some ids; -1 where it is not there."""
        asked = [id.encode() for id in ids]
        found = np.full(len(asked), NOBODY, dtype=np.int32)
        # A longer one is not there, and would be cut off.
        width = self.ids.dtype.itemsize
        short = np.array([at for at, id in enumerate(asked) if len(id) <= width], dtype=np.int64)
        wanted = np.array([asked[at] for at in short.tolist()], dtype=self.ids.dtype)
        for start, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            if start == end or not len(wanted):
                continue
            at = np.minimum(start + np.searchsorted(self.ids[start:end], wanted), end - 1)
            is_it = self.ids[at] == wanted
            found[short[is_it]] = at[is_it]
        return found


def names_of(machines: Machines, classes: int) -> Names:
    """Give the names of a shard's machines, which are of so many classes."""
    ids = np.array([str(id).encode() for id in machines.ids.tolist()], dtype=np.bytes_)
    return Names(ids, np.searchsorted(machines.class_index, np.arange(classes + 1)))
