"""YAML to plain data: what is taken, what is refused, and where it says so."""

import math
import time

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from models.errors import InputFault
from planner.files import yaml_text
from planner.files.yaml_text import MAX_DEPTH, MAX_FAULTS, parse_yaml


def value(text):
    (only,) = parse_yaml(text, "f.yaml")
    return only


def faults(text):
    with pytest.raises(InputFault) as caught:
        parse_yaml(text, "f.yaml")
    lines = [str(fault) for fault in caught.value.faults]
    assert all(line.startswith("f.yaml: ") and line.isprintable() for line in lines)
    return lines


def test_documents_come_in_order():
    assert parse_yaml("a: 1\n---\n---\n[b]\n", "f.yaml") == [{"a": 1}, None, ["b"]]


def test_scalars_by_the_core_schema_unless_quoted():
    text = "a: no\nb: 1:30\nc: 129e6\nd: '129e6'\ne: \"1\"\nf: 2026-01-01\ng:\nh: |\n  1\n"
    wanted = {"a": "no", "b": "1:30", "c": 129e6, "d": "129e6", "e": "1", "f": "2026-01-01"}
    assert value(text) == wanted | {"g": None, "h": "1\n"}


def test_the_order_of_keys_is_kept():
    assert list(value("{c: 1, a: 2, b: 3}")) == ["c", "a", "b"]


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
trees = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(trees, st.sampled_from([True, False, None]))
@example({"<<": {"a": 1}}, None)
def test_reads_what_another_program_wrote(tree, flow):
    class Quoted(yaml.SafeDumper):
        pass

    def text(dumper, written):
        return dumper.represent_scalar("tag:yaml.org,2002:str", written, style='"')

    Quoted.add_representer(str, text)
    assert value(yaml.dump(tree, Dumper=Quoted, default_flow_style=flow)) == tree


@given(st.text(alphabet="ab12:-,[]{}&*!<>|?'\"#%@ \n\t~.\u00e9\x01\u2028"))
def test_no_text_breaks_it(text):
    try:
        parse_yaml(text, "f.yaml")
        lines = []
    except InputFault as fault:
        lines = [str(line) for line in fault.faults]
    assert all(line.startswith("f.yaml: line ") and line.isprintable() for line in lines)


def test_a_syntax_fault_has_its_place():
    assert faults("a: 1\nb: c: d\n") == [
        "f.yaml: line 2, column 5: is not YAML: mapping values are not allowed in this context."
    ]


def test_faults_before_a_syntax_fault_are_told_too():
    assert len(faults("{a: 1, a: 2, 3: 4")) == 3


def test_a_control_character_has_its_place():
    (line,) = faults("\u00e9: 1\n\u00e9: x\x01\n")
    assert line.startswith("f.yaml: line 2, column 5: the character U+0001 may not")


def test_duplicate_keys_all_with_their_line():
    assert faults("a: 1\nb: {c: 1, c: 2}\na: 3\n") == [
        "f.yaml: line 2, column 11: duplicate key 'c'; keep one of them.",
        "f.yaml: line 3, column 1: duplicate key 'a'; keep one of them.",
    ]


@pytest.mark.parametrize("key", ["1", "~", "true", "1.5", "[a]", "{a: 1}", "?"])
def test_a_key_is_text(key):
    (line,) = faults(f"{{{key} : 1}}")
    assert "is no text; write it in quotes" in line


def test_no_and_1_30_are_keys():
    assert value("{no: 1, 1:30: 2, 'null': 3}") == {"no": 1, "1:30": 2, "null": 3}


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object:os.system {}",
        "!!python/object/apply:os.system ['echo']",
        "!!set {a, b}",
        "!!omap [a: 1]",
        "!mine x",
        "!!timestamp 2026-01-01",
        "!!binary aaaa",
        "!!map [a]",
        "!!seq {a: 1}",
        "!!int x",
    ],
)
def test_foreign_tags_are_refused(text):
    (line,) = faults(text)
    assert line.startswith("f.yaml: line 1, column 1: ")
    assert "tag" in line


def test_core_tags_are_taken():
    assert value("!!map {a: !!seq [!!str 1, !!int '2', !!float 3, ! 4]}") == {
        "a": ["1", 2, 3.0, "4"]
    }


def test_the_faults_told_at_once_are_bounded():
    assert len(faults("{" + "1: 2, " * 500 + "}")) == MAX_FAULTS


def test_a_number_too_long_to_write_again():
    assert "too long" in faults("a: " + "1" * 5000)[0]
    assert "too long" in faults("a: 0x" + "1" * 5000)[0]


def test_not_finite_numbers_get_through():
    found = value("[.inf, -.inf, .nan]")
    assert found[:2] == [math.inf, -math.inf]
    assert math.isnan(found[2])


def test_aliases_and_anchors():
    assert value("a: &x {b: 1}\nc: *x\nd: &y 2\ne: *y\n") == {
        "a": {"b": 1},
        "c": {"b": 1},
        "d": 2,
        "e": 2,
    }
    assert value("&k a: 1\nb: *k\n*k : 2\n"[:13]) == {"a": 1, "b": "a"}


def test_a_long_alias_is_cut_short():
    assert len(faults("*" + "a" * 10_000)[0]) < 250


def test_anchors_end_with_their_document():
    assert "no anchor &x before it" in faults("&x a\n---\n*x\n")[0]


def test_merge_keys():
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\n"
    assert value(text + "c: {y: 9, <<: *a}\n")["c"] == {"x": 1, "y": 9}
    assert value(text + "c: {<<: [*a, *b], w: 0}\n")["c"] == {"x": 1, "y": 2, "z": 4, "w": 0}
    assert value("{'<<': {a: 1}}") == {"<<": {"a": 1}}


def test_merging_does_not_change_what_is_merged():
    assert value("a: &a {x: 1}\nb: {<<: *a, x: 2}\nc: *a\n")["c"] == {"x": 1}


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)), max_size=3), st.data())
def test_merges_as_another_reader_does(parts, data):
    own = data.draw(st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)))
    entries = [f"<<: [{', '.join(map(str, parts))}]"] + [f"'{key}': {own[key]}" for key in own]
    text = "{" + ", ".join(data.draw(st.permutations(entries))) + "}"
    assert value(text) == yaml.safe_load(text)


def test_merging_what_is_no_mapping():
    assert "takes a mapping" in faults("{<<: 1}")[0]
    assert "takes a mapping" in faults("{<<: [{a: 1}, 2]}")[0]
    assert "duplicate key '<<'" in faults("{<<: {a: 1}, <<: {b: 1}}")[0]


def bomb(levels, width):
    lines = ["l0: &l0 [x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * width)}]" for i in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb(30, 10),
        "a: &a [" + "x, " * 20_000 + "]\nb: [" + "*a, " * 20_000 + "]",
        bomb(9, 10).replace("l8: &l8 [*l7, ", "l8: {<<: {a: *l7}, b: [*l7, ").rstrip("]") + "]}",
    ],
)
def test_alias_bombs_are_refused_at_once(text):
    start = time.perf_counter()
    assert "expand to far more" in faults(text)[0]
    # The text of 160 kB takes 0.1 s; its expansion to 4e8 values would take minutes.
    assert time.perf_counter() - start < 5


def test_a_large_fleet_may_merge_long_defaults(monkeypatch):
    monkeypatch.setattr(yaml_text, "ALIASED_VALUES", 100)
    text = "d: &d {" + ", ".join(f"k{i}: {i}" for i in range(20)) + "}\nrows:\n"
    assert len(value(text + "- {<<: *d, id: a}\n" * 1000)["rows"]) == 1000


@pytest.mark.parametrize("text", ["&a [*a]", "&a {b: {c: *a}}", "a: &a\n  <<: *a\n"])
def test_an_alias_inside_what_it_names(text):
    assert "lies inside what it names" in faults(text)[0]


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 5000, "- " * 5000, "&a [" * 3000])
def test_great_depth_is_refused(text):
    assert "nest" in faults(text)[0]


def test_depth_is_bounded_exactly():
    assert value("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert "levels deep" in faults("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))[0]


def test_depth_through_aliases_counts():
    half = MAX_DEPTH // 2
    text = "&a " + "[" * half + "]" * half
    fits = f"- {text}\n- " + "[" * (half - 1) + "*a" + "]" * (half - 1)
    assert value(fits)
    assert "levels deep" in faults(f"- {text}\n- " + "[" * half + "*a" + "]" * half)[0]
    # The deepest part counts, not the last.
    first = f"- &a [{'[' * (half - 1) + ']' * (half - 1)}, [x]]\n- "
    assert value(first + "[" * (half - 1) + "*a" + "]" * (half - 1))
    assert "levels deep" in faults(first + "[" * half + "*a" + "]" * half)[0]
    # Each of these adds 40 levels to the one before.
    chain = [f"- &b{i} " + "[" * 40 + f"*b{i - 1}" + "]" * 40 for i in range(1, 9)]
    assert "levels deep" in faults("- &b0 [x]\n" + "\n".join(chain))[0]


def test_depth_of_neighbours_does_not_add_up():
    deep = "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2)
    assert value(f"- &a {deep}\n- {deep}\n- &b [x]\n- [[[[*b]]]]\n- *a\n")
