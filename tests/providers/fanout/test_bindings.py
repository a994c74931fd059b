"""What a fan-out keeps, kept."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.fanout.bindings import Binding, Place, SqliteBindings

NAMES = st.sampled_from(["a/1", "b/2", "größe/x", ""])
ROWS = st.builds(
    Binding,
    st.builds(Place, NAMES, NAMES),
    st.integers(0, 2**62),
    st.integers(0, 2**31),
    st.booleans(),
)


@given(st.lists(st.dictionaries(NAMES, st.none() | ROWS)))
def test_keeps_what_was_saved_last(saves):
    store, wanted = SqliteBindings(":memory:"), {}
    for changed in saves:
        store.save(changed)
        wanted |= changed
        wanted = {name: row for name, row in wanted.items() if row is not None}
        assert store.load() == wanted
    store.close()


def test_keeps_it_beyond_the_process_and_lets_nobody_else_in(tmp_path):
    path = tmp_path / "bindings.sqlite"
    row = Binding(Place("b", "m1"), 7, 3, True)
    first = SqliteBindings(path)
    first.save({"a/m0": row})
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        SqliteBindings(path)
    first.close()
    second = SqliteBindings(path)
    assert second.load() == {"a/m0": row}
    second.close()


def test_keeps_all_or_none():
    store = SqliteBindings(":memory:")
    good, bad = Binding(Place("a", "m")), Binding(Place("a", "m"), 2**64)
    with pytest.raises(OSError, match="cannot be kept"):
        store.save({"x": good, "y": bad})
    assert store.load() == {}
    store.save({"x": good})
    assert store.load() == {"x": good}
    store.close()
