"""What plain scalars mean, against the tables of the YAML 1.2 core schema."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.files.core_schema import MAX_NUMBER_CHARACTERS, plain, tagged


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("NULL", None),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("010", 10),
        ("-7", -7),
        ("+12", 12),
        ("0o10", 8),
        ("0x1F", 31),
        ("1e3", 1000.0),
        ("129e6", 129e6),
        ("2.85", 2.85),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1E-2", -0.01),
        ("1e400", math.inf),
        ("+.INF", math.inf),
        ("-.inf", -math.inf),
    ],
)
def test_these_are_values(text, value):
    assert plain(text) == value
    assert type(plain(text)) is type(value)


def test_nan_is_a_float():
    assert math.isnan(plain(".nan"))


TEXTS = """
    y n yes no on off No YES nULL tRUE 1:30 190:20:30 1_000 0b11 0o8 -0x10 0xg 1e3m 108m 2Ti 1e
    2026-01-01 2026-01-01T00:00:00Z = << . - + .e3 1.2.3 -.nan inf nan Infinity \u0661 1\u0662
    0x 0o -m
"""


@pytest.mark.parametrize("text", TEXTS.split())
def test_these_are_text(text):
    assert plain(text) == text


@given(st.text(max_size=8, alphabet="0123456789+-.eExoabftruelnyNAIaif~ _:"))
def test_agrees_with_the_words_of_the_standard(text):
    """The regular expressions of YAML 1.2.2, section 10.3.2, one after the other."""
    tables = [
        (r"null|Null|NULL|~|", type(None)),
        (r"true|True|TRUE|false|False|FALSE", bool),
        (r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", int),
        (r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", float),
        (r"[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN", float),
    ]
    wanted = next((kind for form, kind in tables if re.fullmatch(form, text)), str)
    assert type(plain(text)) is wanted


@pytest.mark.parametrize("digit", ["1", "0x1", "1.", "1e"])
def test_an_endless_number_is_refused(digit):
    with pytest.raises(ValueError, match="too long"):
        plain(digit + "1" * MAX_NUMBER_CHARACTERS)


def test_an_endless_text_is_taken():
    assert plain("1" * 5000 + "m") == "1" * 5000 + "m"


CORE = "tag:yaml.org,2002:"


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        ("!", "12", "12"),
        (CORE + "str", "12", "12"),
        (CORE + "int", "12", 12),
        (CORE + "float", "12", 12.0),
        (CORE + "bool", "true", True),
        (CORE + "null", "~", None),
    ],
)
def test_a_tag_says_what_it_is(tag, text, value):
    assert tagged(tag, text) == value
    assert type(tagged(tag, text)) is type(value)


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        (CORE + "int", "x"),
        (CORE + "int", "true"),
        (CORE + "float", "y"),
        (CORE + "null", "0"),
        (CORE + "timestamp", "2026-01-01"),
        (CORE + "binary", "aaaa"),
        (CORE + "python/name:os.system", ""),
        ("!mine", "x"),
    ],
)
def test_a_foreign_or_wrong_tag_is_refused(tag, text):
    with pytest.raises(ValueError, match="tag"):
        tagged(tag, text)
