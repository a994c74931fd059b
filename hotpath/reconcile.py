"""What a full List says against what a shard knows: which machines changed, are new, are missing.

The compiled kernel does the work where there is one, numpy elsewhere; the answer is the same.
"""

from hotpath.kernel import reconcile as compiled
from hotpath.kernel.library import library
from hotpath.lists import Columns, Difference
from hotpath.plain import reconcile as plain


def reconcile(known: Columns, listed: Columns) -> Difference:
    """Compare what is known, sorted by id, with what is listed, in any order."""
    work = plain.reconcile if library() is None else compiled.reconcile
    return work(known, listed)
