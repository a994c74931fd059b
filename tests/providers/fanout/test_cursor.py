"""Cursors come back as they were, or not at all."""

from hypothesis import given
from hypothesis import strategies as st

from providers.fanout.cursor import Cursor, read_cursor

TEXTS = st.text(min_size=1, max_size=8)


@given(st.integers(0, 2**70), st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_comes_back(moved, accounts):
    cursor = Cursor(moved, accounts)
    assert read_cursor(str(cursor), accounts) == cursor


@given(st.text() | st.sampled_from(["1", "[1]", "[1,2]", '["1",{}]', "[1,{},3]", "[true,{}]", "["]))
def test_any_other_text_is_none(text):
    assert read_cursor(text, ["a"]) is None


def test_that_of_other_accounts_or_of_one_never_listed_is_none():
    assert read_cursor(str(Cursor(1, {"a": "x"})), ["a", "b"]) is None
    assert read_cursor(str(Cursor(1, {"a": "x", "b": "y"})), ["a"]) is None
    assert read_cursor(str(Cursor(1, {"a": ""})), ["a"]) is None
    assert read_cursor('[1,{"a":2}]', ["a"]) is None
    assert read_cursor("[" * 100_000, ["a"]) is None
