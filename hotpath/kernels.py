"""Which kernel is at work: the compiled one, or where there is none the plain one, its oracle."""

from hotpath import attribution as plain
from hotpath.attribution import Groups
from hotpath.kernel import attribution as compiled
from hotpath.kernel.library import library
from models.fleet import Ints


def fill_some(groups: Groups, flow: Ints, wanted: Ints, first: int, end: int) -> None:
    """Fill the needs of ``first`` to ``end`` up to ``wanted``, ``(n,)``, in place in ``flow``."""
    fill = plain.fill_some if library() is None else compiled.fill_some
    fill(groups, flow, wanted, first, end)
