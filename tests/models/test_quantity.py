"""Quantities, against fractions computed the obvious way and against Kubernetes' grammar."""

import math
import re
import time
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from models.quantity import SATURATED, format_quantity, parse_quantity, scale_of

FACTORS = {
    "": 1,
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    **{suffix: 1000**power for power, suffix in enumerate("kMGTPE", start=1)},
    **{f"{suffix}i": 1024**power for power, suffix in enumerate("KMGTPE", start=1)},
}

digits = st.text("0123456789", max_size=30)
numbers = st.one_of(
    st.tuples(digits, digits).filter(any).map(".".join),
    digits.filter(bool),
    # Long ones, whose end is only looked at for being zero.
    st.tuples(digits, st.integers(100, 400), st.sampled_from(["", "0", "1", "5"])).map(
        lambda part: f"{part[0]}.{'0' * part[1]}{part[2]}1"
    ),
    st.tuples(st.sampled_from(["1", "999", "0.5"]), st.integers(150, 200)).map(
        lambda part: part[0] + "0" * part[1]
    ),
)
exponents = st.integers(-400, 400)
scales = st.sampled_from([1, 1000])
resources = st.sampled_from(
    ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "gpu", "example.com/device"]
)


def value_of(number: str) -> Fraction:
    whole, _, fraction = number.partition(".")
    return Fraction(int(f"0{whole}{fraction}"), 10 ** len(fraction))


def expected(value: Fraction, scale: int) -> int:
    return min(math.ceil(value * scale), 2**63 - 1)


@given(numbers, st.sampled_from(sorted(FACTORS)), scales)
@example("9223372036854775807", "", 1)
@example("9223372036854775806.9", "", 1)
@example("9223372036854775806", "", 1)
@example("7.99999999999999999999", "Ei", 1)
@example("1.000000000", "n", 1000)
def test_suffix_multiplies_exactly(number: str, suffix: str, scale: int) -> None:
    result = parse_quantity(number + suffix, scale)
    assert result == expected(value_of(number) * FACTORS[suffix], scale)


@given(numbers, st.sampled_from("eE"), exponents, scales, st.booleans())
def test_exponent_multiplies_exactly(
    number: str, letter: str, exponent: int, scale: int, plus: bool
) -> None:
    text = f"{number}{letter}{exponent:+d}" if plus else f"{number}{letter}{exponent}"
    assert parse_quantity(text, scale) == expected(
        value_of(number) * Fraction(10) ** exponent, scale
    )


@given(st.floats(min_value=0, allow_infinity=False, allow_nan=False), scales)
def test_float_counts_as_the_decimal_it_prints_as(value: float, scale: int) -> None:
    assert parse_quantity(value, scale) == expected(Fraction(repr(value)), scale)


@given(st.integers(min_value=0), scales)
def test_integer_counts_as_itself(value: int, scale: int) -> None:
    assert parse_quantity(value, scale) == expected(Fraction(value), scale)


@given(st.integers(0, SATURATED), resources)
@example(SATURATED, "cpu")
@example(1 << 60, "memory")
def test_written_amount_reads_back(value: int, resource: str) -> None:
    assert parse_quantity(format_quantity(value, resource), scale_of(resource)) == value


@pytest.mark.parametrize(
    ("text", "scale", "result"),
    [
        ("1500m", 1000, 1500),
        ("1.", 1000, 1000),
        (".5", 1000, 500),
        ("+2", 1, 2),
        ("-0", 1, 0),
        (-0.0, 1, 0),
        ("1Gi", 1, 2**30),
        ("129M", 1, 129_000_000),
        ("129e6", 1, 129_000_000),
        ("2.85Gi", 1, 3_060_164_199),
        ("0.1", 1, 1),
        ("1n", 1000, 1),
        ("1E", 1, 10**18),
        ("1E3", 1, 1000),
        ("1E-3", 1, 1),
        ("1Ei", 1, 2**60),
        ("8Ei", 1, SATURATED),
        (0.1, 1000, 100),
        (1e22, 1, SATURATED),
        ("1e999999999", 1, SATURATED),
        ("1e-999999999", 1, 1),
        ("0e999999999", 1, 0),
        ("0e-999999999", 1, 0),
    ],
)
def test_known_amounts(text: str | float, scale: int, result: int) -> None:
    assert parse_quantity(text, scale) == result


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-1", "negative"),
        ("-1e-999999999", "negative"),
        (-1, "negative"),
        (-0.5, "negative"),
        ("NaN", "not a finite number"),
        (float("nan"), "not a finite number"),
        (float("inf"), "not a finite number"),
        ("-Infinity", "not a finite number"),
        (True, "truth value"),
        ("1e3m", "both an exponent and a suffix"),
        ("1e3Ki", "both an exponent and a suffix"),
        ("", "not a quantity"),
        (".", "not a quantity"),
        ("m", "not a quantity"),
        ("1gb", "not a quantity"),
        ("1K", "not a quantity"),
        ("1ki", "not a quantity"),
        ("1mi", "not a quantity"),
        ("1e", "not a quantity"),
        ("1e1.5", "not a quantity"),
        ("1.2.3", "not a quantity"),
        ("1 Gi", "not a quantity"),
        (" 1", "not a quantity"),
        ("1\n", "not a quantity"),
        ("1_000", "not a quantity"),
        ("٣", "not a quantity"),
        ("--1", "not a quantity"),
        (None, "NoneType is not a quantity"),
        ([1], "list is not a quantity"),
    ],
)
def test_refuses(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)) as caught:
        parse_quantity(text)
    assert str(caught.value).endswith(".")


@given(st.text("0123456789.+-eEnumkMGTPEi ", max_size=12))
def test_takes_exactly_the_grammar(text: str) -> None:
    grammar = r"[+-]?(\d+|\d+\.\d+|\d+\.|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?"
    negative = text.startswith("-") and re.search("[1-9]", re.split("[eE]", text)[0])
    if re.fullmatch(grammar, text) and not negative:
        assert 0 <= parse_quantity(text) <= SATURATED
    else:
        with pytest.raises(ValueError, match=r"\.$"):
            parse_quantity(text)


def test_integers_too_long_to_print_are_read_all_the_same() -> None:
    assert parse_quantity(10**5000) == SATURATED
    with pytest.raises(ValueError, match="must not be negative"):
        parse_quantity(-(10**5000))


MILLION = 10**6


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("9" * MILLION, SATURATED),
        ("1" + "0" * MILLION + f"e-{MILLION}", 1),
        ("2" + "0" * MILLION + f"1e-{MILLION + 1}", 3),
        ("0." + "0" * MILLION + "1", 1),
        ("0" * MILLION, 0),
        ("1e" + "9" * MILLION, SATURATED),
        ("1e-" + "9" * MILLION, 1),
        ("1e" + "0" * MILLION + "2", 100),
    ],
    ids=["nines", "one", "two and a bit", "tiny", "zero", "huge", "tinier", "hundred"],
)
def test_a_million_digits_take_no_time(text: str, result: int) -> None:
    before = time.process_time()
    assert parse_quantity(text) == result
    assert time.process_time() - before < 1


def test_a_million_characters_of_junk_are_refused_at_once_and_in_one_line() -> None:
    before = time.process_time()
    with pytest.raises(ValueError, match="not a quantity") as caught:
        parse_quantity("1" * MILLION + "x")
    assert time.process_time() - before < 1
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("value", "resource", "text"),
    [
        (1500, "cpu", "1500m"),
        (2000, "cpu", "2"),
        (0, "cpu", "0"),
        (2**31, "memory", "2Gi"),
        (1536 * 2**20, "memory", "1536Mi"),
        (129_000_000, "memory", "129000000"),
        (0, "memory", "0"),
        (100 * 2**30, "ephemeral-storage", "100Gi"),
        (1024, "gpu", "1024"),
        (-1500, "cpu", "-1500m"),
        (-1024, "memory", "-1Ki"),
    ],
)
def test_shortest_form(value: int, resource: str, text: str) -> None:
    assert format_quantity(value, resource) == text
