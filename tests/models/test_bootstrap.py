"""Patterns of labels that a bootstrap makes true."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.bootstrap import checked_patterns, is_bootstrap_key

LETTERS = st.text("ab.*?[", max_size=4)


@pytest.mark.parametrize(
    ("key", "is_one"),
    [("kubelet", True), ("kubelet2", False), ("nfd/cpu", True), ("nfd/", True), ("nfd", False)],
)
def test_a_key_is_named_whole_or_by_how_it_begins(key, is_one):
    assert is_bootstrap_key(key, ["kubelet", "nfd/*"]) is is_one


@pytest.mark.parametrize("pattern", ["a*b", "a?", "[ab]", "a**", "*/b"])
def test_nothing_else_is_wild(pattern):
    with pytest.raises(ValueError, match="only a \\* at its end"):
        checked_patterns(("ok", pattern))


@given(LETTERS, LETTERS)
def test_what_passes_reads_as_the_shell_reads_it(key, pattern):
    try:
        checked_patterns((pattern,))
    except ValueError:
        return
    assert is_bootstrap_key(key, [pattern]) == fnmatchcase(key, pattern)
