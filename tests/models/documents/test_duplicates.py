"""Duplicates: the clever way finds what writing out every name finds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from models.documents.duplicates import Named, duplicates
from models.pattern import expand

PIECES = st.sampled_from(
    ["a", "-", "0", "1", "10", "{}", "{//1}", "{//2}", "{//10}", "\u0661", "{//\u0661}"]
)
IDS = st.lists(PIECES, min_size=1, max_size=4).map("".join)
COUNTS = st.none() | st.integers(0, 25)
ROWS = st.lists(st.tuples(IDS, COUNTS), max_size=8).map(
    lambda rows: [Named(index, text, count) for index, (text, count) in enumerate(rows)]
)


def plainly(rows):
    seen, found = {}, []
    for row in rows:
        for name in [row.id] if row.count is None else expand(row.id, row.count):
            if name in seen:
                found.append((row.index, name, seen[name]))
                break
            seen[name] = row.index
    return found


@settings(max_examples=500)
@given(ROWS)
def test_finds_what_writing_out_finds(rows):
    found = [(one.index, one.id, one.first) for one in duplicates(rows)]
    assert {(i, first) for i, _, first in found} <= {
        (i, j) for i in range(len(rows)) for j in range(i + 1)
    }
    # After its first duplicate the rest of a row is not looked at, in either way.
    assert found == plainly(rows)


def test_ten_million_names_are_not_written_out():
    racks = [Named(i, f"rack{i}-{{}}", 10_000) for i in range(999)]
    one = Named(999, "rack7-10000", None)
    assert duplicates([*racks, Named(1000, "gpu-{}", 5_000_000)]) == []
    assert duplicates([*racks, one]) == []
