"""Requirements against node affinity spelled out, and versions against tuples of integers."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.requirement import Operator, Requirement, as_number

values = st.sampled_from(
    ["", "a", "b", "7", "07", "8", "-3", "+7", "1.30", "1.30.0", "v1.30.2", "1.9", "v1.30.2-gke.1"]
)
ORDERED = (Operator.GT, Operator.LT, Operator.GTE, Operator.LTE)


@given(
    st.sampled_from([Operator.IN, Operator.NOT_IN]),
    st.lists(values, min_size=1, max_size=3).map(tuple),
    st.none() | values,
)
def test_in_and_not_in(operator: Operator, wanted: tuple[str, ...], value: str | None) -> None:
    inside = value is not None and any(value == one for one in wanted)
    fits = inside if operator is Operator.IN else not inside
    assert Requirement("k", operator, wanted).matches(value) is fits


@pytest.mark.parametrize("value", ["", "x", "7"])
def test_exists_asks_for_the_label_only(value: str) -> None:
    assert Requirement("k", Operator.EXISTS).matches(value)
    assert not Requirement("k", Operator.EXISTS).matches(None)
    assert not Requirement("k", Operator.DOES_NOT_EXIST).matches(value)
    assert Requirement("k", Operator.DOES_NOT_EXIST).matches(None)


versions = st.lists(st.integers(0, 30), min_size=1, max_size=4)


@given(versions, versions, st.booleans(), st.booleans())
def test_versions_compare_part_by_part(
    left: list[int], right: list[int], leading: bool, other: bool
) -> None:
    value = ("v" if leading else "") + ".".join(map(str, left))
    bound = ("v" if other else "") + ".".join(map(str, right))
    pairs = list(itertools.zip_longest(left, right, fillvalue=0))
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    assert Requirement("k", Operator.GT, (bound,)).matches(value) is (ours > theirs)
    assert Requirement("k", Operator.LT, (bound,)).matches(value) is (ours < theirs)
    assert Requirement("k", Operator.GTE, (bound,)).matches(value) is (ours >= theirs)
    assert Requirement("k", Operator.LTE, (bound,)).matches(value) is (ours <= theirs)


@given(st.integers(), st.integers())
def test_integers_compare_by_value(left: int, right: int) -> None:
    assert Requirement("k", Operator.GT, (str(right),)).matches(str(left)) is (left > right)
    assert Requirement("k", Operator.GTE, (str(right),)).matches(str(left)) is (left >= right)


def test_integers_of_any_size_compare() -> None:
    big = "9" * 100_000
    assert Requirement("k", Operator.GT, (big[:-1] + "8",)).matches(big)
    assert not Requirement("k", Operator.GT, (big,)).matches(big)
    assert Requirement("k", Operator.LT, ("-" + big,)).matches("-" + big + "0")


@pytest.mark.parametrize("operator", ORDERED)
@pytest.mark.parametrize(
    "value",
    [None, "", "x", "7x", "v1.30.2-gke.100", "1.", ".1", "1..2", "-1.2", "+v1", "V1", " 7", "7\n"],
)
def test_ordered_operators_fit_no_other_text(operator: Operator, value: str | None) -> None:
    assert not Requirement("k", operator, ("0",)).matches(value)
    assert not Requirement("k", operator, ("99",)).matches(value)


def test_a_leading_zero_or_sign_changes_nothing() -> None:
    assert Requirement("k", Operator.GTE, ("+7",)).matches("007")
    assert Requirement("k", Operator.LTE, ("7",)).matches("+7")
    assert as_number("1.30") == as_number("v1.30.0.0")
    assert as_number("0") == as_number("0.0")


@given(
    st.sampled_from(Operator),
    st.lists(values, max_size=2).map(tuple),
    st.lists(st.none() | values),
)
def test_matches_each_says_the_same(
    operator: Operator, wanted: tuple[str, ...], labels: list[str | None]
) -> None:
    try:
        requirement = Requirement("k", operator, wanted)
    except ValueError:
        return
    answers = requirement.matches_each(labels)
    assert answers.dtype == bool
    assert answers.tolist() == [requirement.matches(label) for label in labels]


@pytest.mark.parametrize(
    ("key", "operator", "wanted", "reason"),
    [
        ("", Operator.EXISTS, (), "must not be empty"),
        ("k", Operator.IN, (), "at least one value"),
        ("k", Operator.NOT_IN, (), "at least one value"),
        ("k", Operator.EXISTS, ("a",), "takes no values"),
        ("k", Operator.DOES_NOT_EXIST, ("a",), "takes no values"),
        *[("k", operator, (), "exactly one value, not 0") for operator in ORDERED],
        *[("k", operator, ("1", "2"), "exactly one value, not 2") for operator in ORDERED],
        *[("k", operator, ("1.x",), "integer or a dotted version") for operator in ORDERED],
    ],
)
def test_refuses(key: str, operator: Operator, wanted: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        Requirement(key, operator, wanted)


def test_requirements_sort_and_hash() -> None:
    first, second = Requirement("a", Operator.EXISTS), Requirement("a", Operator.IN, ("x",))
    assert sorted([second, first]) == [first, second]
    assert len({first, Requirement("a", Operator.EXISTS)}) == 1
