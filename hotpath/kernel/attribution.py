"""The compiled twin of ``hotpath.attribution``."""

import numpy as np

from hotpath.attribution import Groups
from hotpath.kernel.library import library
from models.fleet import Ints


def fill_some(groups: Groups, flow: Ints, wanted: Ints, first: int, end: int) -> None:
    """Fill the needs of ``first`` to ``end`` up to ``wanted``, ``(n,)``, in place in ``flow``.

    Raises
    ------
    ValueError
        When shapes disagree, ``first`` and ``end`` are not within them, or a count is negative:
        the compiled code relies on it.
    MemoryError
        When there is none left.
    """
    compiled = library()
    if compiled is None:
        raise ValueError("there is no compiled kernel; use hotpath.attribution.")
    needs, width = groups.fits.shape
    shapes = (groups.size.shape, groups.moves.shape, flow.shape, wanted.shape)
    if shapes != ((width,), (needs, width), (needs, width), (needs,)):
        raise ValueError(f"fits has shape {groups.fits.shape}, the others {shapes}.")
    if not 0 <= first <= end <= needs:
        raise ValueError(f"needs {first} to {end} are not among {needs}.")
    if flow.size and (flow.min() < 0 or (flow.sum(axis=0) > groups.size).any()):
        raise ValueError("flow is negative, or more than there is in a group.")
    fits, moves = np.ascontiguousarray(groups.fits), np.ascontiguousarray(groups.moves)
    size = np.ascontiguousarray(groups.size)
    done = compiled.bigfleet_fill(needs, width, size, fits, moves, flow, wanted, first, end)
    if done != 0:
        raise MemoryError(f"no memory for {needs} needs and {width} groups.")
