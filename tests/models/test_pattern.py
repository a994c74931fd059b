"""Patterns against counting by hand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.pattern import divisors, expand, has_hole

pieces = st.one_of(
    st.sampled_from(("{}", "{//1}", "{//3}", "{//12}", "{//007}")),
    st.sampled_from(("", "-", "{", "}", "{//}", "{/2}", "{ }", "{0}", "{{", "\\1", "%s", "\u00e9")),
    st.integers(0, 99).map(str),
)


def filled(text: str, index: int) -> str:
    """Walk the text from the left and put the numbers in."""
    out, rest = "", text
    while rest:
        hole = re.match(r"\{\}|\{//[0-9]+\}", rest)
        if hole is None:
            out, rest = out + rest[0], rest[1:]
            continue
        divisor = int(hole[0][3:-1]) if len(hole[0]) > 2 else 1
        out, rest = out + str(index // divisor), rest[len(hole[0]) :]
    return out


@given(st.lists(pieces, max_size=6).map("".join), st.integers(0, 40))
def test_each_text_is_filled_with_its_index(text, count):
    assert expand(text, count) == [filled(text, index) for index in range(count)]
    assert has_hole(text) == (filled(text, 10**9) != text)
    assert has_hole(text) == bool(divisors(text))


def test_the_examples_of_the_file_format():
    assert expand("gpu-{}", 3) == ["gpu-0", "gpu-1", "gpu-2"]
    assert expand("r{//2}", 5) == ["r0", "r0", "r1", "r1", "r2"]
    assert expand("plain", 2) == ["plain", "plain"]
    assert expand("{}", 0) == []


def test_the_divisors_are_those_written():
    assert divisors("a{}b{//8}-{//007}{//}") == ["", "8", "007"]


def test_only_digits_of_ascii_make_a_hole():
    assert not has_hole("{//\u0663}")
    assert divisors("{//\u0663}") == []


@pytest.mark.parametrize("text", ["{//0}", "a{}{//00}"])
def test_division_by_nothing_is_refused(text):
    with pytest.raises(ValueError, match=r"cannot divide an index by 00?; .* at least 1\.$"):
        expand(text, 1)
