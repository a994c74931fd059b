"""JSON to plain data: what Python's reader would let pass is refused."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputFault
from planner.files.json_text import parse_json
from planner.files.yaml_text import MAX_DEPTH, MAX_FAULTS

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
trees = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def faults(text):
    with pytest.raises(InputFault) as caught:
        parse_json(text, "f.json")
    lines = [str(fault) for fault in caught.value.faults]
    assert all(line.startswith("f.json: ") and line.isprintable() for line in lines)
    return lines


@given(trees, st.booleans())
def test_reads_what_json_writes(tree, escaped):
    assert parse_json(json.dumps(tree, ensure_ascii=escaped), "f.json") == tree


@given(st.text(alphabet='{}[]",:0123456789.eE-+ truefalsn\\ud8\n'))
def test_no_text_breaks_it(text):
    try:
        parse_json(text, "f.json")
        lines = []
    except InputFault as fault:
        lines = [str(line) for line in fault.faults]
    assert all(line.startswith("f.json: ") and line.isprintable() for line in lines)


def test_a_syntax_fault_has_its_place():
    assert faults('{"a": 1,\n "b" 2}')[0].startswith("f.json: line 2, column 6: is not JSON: ")


def test_duplicate_keys_all_with_their_path():
    text = '{"m": [{"a": 1}, {"l": {"x\\ny": 1, "x\\ny": 2}}], "m": 1, "k": [[{"b": 1, "b": 1}]]}'
    assert faults(text) == [
        "f.json: duplicate key 'm'; keep one.",
        "f.json: m[1].l: duplicate key 'x\\ny'; keep one.",
        "f.json: k[0][0]: duplicate key 'b'; keep one.",
    ]


def test_the_path_of_a_duplicate_is_one_line():
    assert faults('{"x\\ny": {"a": 1, "a": 2}}') == ["f.json: x\\ny: duplicate key 'a'; keep one."]


def test_the_faults_told_at_once_are_bounded():
    assert len(faults("[" + '{"a": 1, "a": 1}, ' * 500 + "0]")) == MAX_FAULTS
    assert len(faults("{" + '"a": 1, ' * 500 + '"a": 0}')) == MAX_FAULTS


def test_a_syntax_fault_after_a_duplicate():
    assert "is not JSON" in faults('[{"a": 1, "a": 1}, ')[0]


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 500, 100_000])
@pytest.mark.parametrize("pair", ["[]", ('{"a":', "1}")])
def test_great_depth_is_refused(levels, pair):
    before, after = pair
    text = before * levels + ("1" if before == '{"a":' else "") + after.replace("1", "") * levels
    assert faults(text) == [f"f.json: is nested more than {MAX_DEPTH} levels deep."]


def test_the_greatest_depth_is_taken():
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH, "f.json")


def test_depth_beside_a_duplicate():
    assert faults('[{"a": 1, "a": 2}, ' + "[" * 500 + "]" * 500 + "]")


def test_a_number_too_long_to_write_again():
    assert "4300 digits" in faults("[" + "1" * 5000 + "]")[0]


@pytest.mark.parametrize("text", ['["\\ud800"]', '{"\\uDFFF": 1}', '"a\\udc00\\ud800"'])
def test_half_a_surrogate_pair_is_refused(text):
    assert "surrogate" in faults(text)[0]


def test_a_whole_surrogate_pair_is_a_character():
    assert parse_json('"\\ud83d\\ude00 \\\\ud800"', "f.json") == "\U0001f600 \\ud800"


def test_not_finite_numbers_get_through():
    found = parse_json("[Infinity, -Infinity, NaN, 1e999]", "f.json")
    assert found[:2] == [math.inf, -math.inf]
    assert math.isnan(found[2])
    assert found[3] == math.inf
