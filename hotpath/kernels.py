"""Which kernel is at work: the compiled one, or where there is none the plain one, its oracle."""

from hotpath import attribution as plain_attribution
from hotpath import reconcile as plain_reconcile
from hotpath.attribution import Groups
from hotpath.kernel import attribution as compiled_attribution
from hotpath.kernel import reconcile as compiled_reconcile
from hotpath.kernel.library import library
from hotpath.reconcile import Columns, Difference
from models.fleet import Ints


def fill_some(groups: Groups, flow: Ints, wanted: Ints, first: int, end: int) -> None:
    """Fill the needs of ``first`` to ``end`` up to ``wanted``, ``(n,)``, in place in ``flow``."""
    fill = plain_attribution.fill_some if library() is None else compiled_attribution.fill_some
    fill(groups, flow, wanted, first, end)


def reconcile(known: Columns, listed: Columns) -> Difference:
    """Compare what is known, sorted by id, with what is listed, in any order."""
    work = plain_reconcile.reconcile if library() is None else compiled_reconcile.reconcile
    return work(known, listed)
