"""What is written reads back to the same, in each version of YAML and in JSON, and reads well."""

import enum
import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from planner.files import dump_json, dump_yaml
from planner.files.json_text import parse_json
from planner.files.yaml_text import parse_yaml

WORDS = """
    no 1e3 0x1 ~ 1:30 null 129e6 y N Yes ON off TRUE False .inf .NaN -.Inf 010 0o10 0b1 1_000 +1 -1
    1. .5 2026-01-01 2026-01-01T10:00:00Z = << - ? : --- ... a: a:b #a a#b * &a !a %a @a `a ' " | >
    [ ] { } , <<: {} [] 1e3m 2Ti gpu-{} r{//8} b/serve \\ a\\n
"""
SPACED = ["", " ", " a", "a ", "a  b", "a b", "a #b", "a: b", "\n", "a\nb", "\t", "\xa0"]
RARE = ["\u00e9", "\U0001f600", "\x00", "\x7f", "\x85", "\u2028", "\ufeff", "\ufffe"]
AMBIGUOUS = [*WORDS.split(), *SPACED, *RARE]

texts = st.text() | st.sampled_from(AMBIGUOUS) | st.text(alphabet="-. 01aenoxyNE~_:/+#", max_size=4)
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers() | floats | texts
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(texts, inner)
        | st.dictionaries(st.just("machines"), inner)
    ),
    max_leaves=25,
)


@given(trees)
@example({"a" * 2000: {"b": ["c"]}})
@example({"\x01" * 300: ["c"]})
@example({"machines": [{"a" * 2000: 1, "id": "b" * 2000}], "c": "d" * 3000})
@example(["a" * 3000, {"k": ["b" * 3000, {"c": 1}]}])
@example([[], {}, [[]], [{}], {"machines": []}, {"machines": {}}, {"machines": None}])
@example(1e18)
def test_yaml_means_the_same_to_both_versions(tree):
    text = dump_yaml(tree)
    for found in (parse_yaml(text, "f.yaml")[0], yaml.safe_load(text)):
        assert found == tree
        # True equals 1 and 1.0, so compare how it is written, too.
        assert repr(found) == repr(tree)


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_each_ambiguous_text_stays_itself(text):
    tree = {text: text, "l": [text], "machines": [{text: text}]}
    written = dump_yaml(tree)
    assert parse_yaml(written, "f.yaml") == [tree]
    assert yaml.safe_load(written) == tree


@given(trees)
def test_json_reads_back(tree):
    text = dump_json(tree)
    assert parse_json(text, "f.json") == json.loads(text) == tree
    assert repr(parse_json(text, "f.json")) == repr(tree)


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_are_not_finite(number):
    assert repr(parse_yaml(dump_yaml([number]), "f.yaml")[0]) == repr([number])
    assert repr(yaml.safe_load(dump_yaml([number]))) == repr([number])
    with pytest.raises(ValueError, match="JSON compliant"):
        dump_json({"a": [number]})


FLEET = {
    "apiVersion": "bigfleet.dev/v1",
    "kind": "Fleet",
    "metadata": {"name": "größer"},
    "topology": ["a/zone", "a/rack"],
    "shards": [],
    "machines": [
        {"id": "gpu-{}", "count": 64, "resources": {"cpu": "192"}, "labels": {}},
        {"id": "no", "pricePerHour": None},
    ],
    "needs": [
        {"id": "a/train", "resources": {"gpu": "8"}, "spread": [{"key": "k", "maxSkew": 1}]},
        [1, [2]],
    ],
}


def test_yaml_puts_machines_on_a_line_and_the_rest_in_blocks():
    assert (
        dump_yaml(FLEET)
        == """\
apiVersion: bigfleet.dev/v1
kind: Fleet
metadata:
  name: "größer"
topology:
  - a/zone
  - a/rack
shards: []
machines:
  - {id: "gpu-{}", count: 64, resources: {cpu: "192"}, labels: {}}
  - {id: "no", pricePerHour: null}
needs:
  - id: a/train
    resources:
      gpu: "8"
    spread:
      - key: k
        maxSkew: 1
  - - 1
    - - 2
"""
    )


def test_json_puts_the_items_of_lists_on_a_line():
    assert (
        dump_json({"kind": "größer", "machines": FLEET["machines"], "needs": [], "m": {"n": [1]}})
        == """\
{
  "kind": "größer",
  "machines": [
    {"id": "gpu-{}", "count": 64, "resources": {"cpu": "192"}, "labels": {}},
    {"id": "no", "pricePerHour": null}
  ],
  "needs": [],
  "m": {"n": [1]}
}
"""
    )
    assert dump_json([1, {}]) == "[\n  1,\n  {}\n]\n"
    assert dump_json("a") == '"a"\n'


def test_words_of_an_enumeration_are_text():
    state = enum.StrEnum("state", ["IDLE"])
    assert dump_yaml({"s": state.IDLE, "machines": [{"s": state.IDLE}]}).count("idle") == 2
    assert dump_json([state.IDLE]) == '[\n  "idle"\n]\n'


@pytest.mark.parametrize("dump", [dump_yaml, dump_json])
@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", [b"x"]])
def test_what_is_no_plain_data(dump, value):
    with pytest.raises(TypeError):
        dump({"a": value})


def test_tuples_are_written_as_lists():
    assert dump_yaml({"a": (1, ())}) == "a:\n  - 1\n  - []\n"
    assert dump_json((1, ())) == "[\n  1,\n  []\n]\n"
