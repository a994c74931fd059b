"""Compare a full List with what a shard knows, in numpy."""

import numpy as np

from hotpath.lists import Columns, Difference, Fate, alike, difference, unsorted
from models.fleet import Ints, Mask


def reconcile(known: Columns, listed: Columns) -> Difference:
    """Compare what is known, sorted by id, with what is listed, in any order.

    Nothing that a provider may list raises: what is wrong with a row is in the answer.

    Raises
    ------
    ValueError
        When the two sides have other columns, or known ids are unsorted, repeated or empty.
    """
    known, listed = alike(known, listed)
    if (known.ids[:1] == b"").any() or (known.ids[:-1] >= known.ids[1:]).any():
        raise unsorted()
    # Stable: of equal identifiers the first listed comes first. Runs in order make it quick.
    order = np.argsort(listed.ids, kind="stable")
    ids = listed.ids[order]
    is_first = np.ones(len(ids), dtype=np.bool_)
    is_first[1:] = ids[1:] != ids[:-1]
    place = np.searchsorted(known.ids, ids)
    is_known = np.zeros(len(ids), dtype=np.bool_)
    inside = place < len(known)
    is_known[inside] = known.ids[place[inside]] == ids[inside]

    fate = np.empty(len(ids), dtype=np.uint8)
    # The first that holds.
    fate[order] = np.select(
        [ids == b"", ~is_first, is_known], [Fate.NAMELESS, Fate.REPEATED, Fate.KNOWN], Fate.NEW
    )
    listed_row = np.full(len(known), -1, dtype=np.int64)
    listed_row[place[is_known & is_first]] = order[is_known & is_first]
    return difference(listed_row, _differs(known, listed, listed_row), fate)


def _differs(known: Columns, listed: Columns, listed_row: Ints) -> Mask:
    """Mark the known rows that are listed with something else in a column."""
    rows = np.flatnonzero(listed_row >= 0)
    at = listed_row[rows]
    differs = np.zeros(len(known), dtype=np.bool_)
    for before, now in zip(known.compared, listed.compared, strict=True):
        old, new = before[rows], now[at]
        # What does not equal itself is NaN; integers all do.
        differs[rows] |= (old != new) & ~((old != old) & (new != new))
    return differs
