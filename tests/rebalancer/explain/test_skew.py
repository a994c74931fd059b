"""The fewest machines to add within a skew, against every way of adding and taking."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from rebalancer.explain.skew import Even, even_gap

PLACES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=3)


def by_trying(places: list[Even], lacks: int, skew: int) -> int | None:
    """Give the fewest by looking at every way to take ``lacks`` machines."""
    best = None
    for taken in product(range(lacks + 1), repeat=len(places)):
        if sum(taken) == lacks:
            total = [place.held + y for place, y in zip(places, taken, strict=True)]
            if all(n - min(total) <= skew for n, y in zip(total, taken, strict=True) if y):
                added = sum(max(0, y - p.at_hand) for p, y in zip(places, taken, strict=True))
                best = added if best is None else min(best, added)
    return best


@settings(max_examples=400, deadline=None)
@given(PLACES, st.integers(1, 6), st.integers(1, 3))
def test_no_way_adds_fewer(pairs, lacks, skew):
    places = [Even(at, *pair) for at, pair in enumerate(pairs)]
    found = even_gap(places, lacks, skew)
    least = by_trying(places, lacks, skew)
    assert (None if found is None else sum(found.values())) == least
    if found is not None:
        # What is added is enough: with it at hand nothing more is missing.
        more = [Even(p.value, p.held, p.at_hand + found.get(p.value, 0)) for p in places]
        assert by_trying(more, lacks, skew) == 0


def test_counts_as_large_as_they_may_be():
    places = [Even(0, 0, 5), Even(1, 3, 0)]
    found = even_gap(places, 2**63 - 1, 1)
    assert found is not None
    assert sum(found.values()) == 2**63 - 1 - 5
    total = [p.held + min(p.at_hand, 5) + found.get(p.value, 0) for p in places]
    assert abs(total[0] - total[1]) <= 1


def test_nowhere_to_be():
    assert even_gap([], 1, 1) is None
