"""Which kernel is at work: the compiled one, or where there is none the plain one, its oracle."""

from hotpath import reconcile as plain_reconcile
from hotpath.kernel import reconcile as compiled_reconcile
from hotpath.kernel.library import library
from hotpath.reconcile import Columns, Difference


def reconcile(known: Columns, listed: Columns) -> Difference:
    """Compare what is known, sorted by id, with what is listed, in any order."""
    work = plain_reconcile.reconcile if library() is None else compiled_reconcile.reconcile
    return work(known, listed)
