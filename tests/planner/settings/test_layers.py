"""Settings layer by layer: the last that says something wins, and is told as the origin."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InputFault
from models.settings import Settings, leaves, settings_document, settings_file, settings_from
from planner.files import Document
from planner.settings.layers import Origin, Override, Sources, layered

VALUES = {
    "cycle": ["1s", "10s"],
    "goals.moves": [0.1, 0.5, 7.0],
    "goals.gang_spread": [0.0, 0.1],
    "release.hold.spot": ["1m", "5m"],
    "assign.scarce": [["gpu"], [], ["a", "b"]],
    "rebalance.migrate": ["on", "off"],
}
DEFAULTS = dict(leaves(settings_document(Settings())))


def nested(values: dict) -> dict:
    document: dict = {}
    for path, value in values.items():
        place = document
        *above, last = path.split(".")
        for name in above:
            place = place.setdefault(name, {})
        place[last] = value
    return document


def layer(number: int, values: dict, metadata: dict | None = None) -> Document:
    body = nested(values) | ({"metadata": metadata} if metadata else {})
    return Document("Settings", body, f"{number}.yaml", 0)


def told(documents: list[Document], *overrides: str):
    faults: list = []
    found = layered(documents, Sources((), tuple(Override("--set", o) for o in overrides)), faults)
    assert faults == []
    return found


values = st.fixed_dictionaries(
    {}, optional={path: st.sampled_from([None, *choice]) for path, choice in VALUES.items()}
)
overrides = st.dictionaries(st.sampled_from([*VALUES]), st.integers(0, 1), max_size=3)


@settings(max_examples=40, deadline=None)
@given(st.lists(values, max_size=4), overrides)
def test_the_last_that_says_something_wins_and_is_the_origin(files, set_to):
    said = [f"{path}={json.dumps(VALUES[path][index])}" for path, index in set_to.items()]
    found = told([layer(*each) for each in enumerate(files)], *said)
    value, origin = dict(DEFAULTS), {}
    for number, file in enumerate(files):
        for path, one in file.items():
            if one is not None:
                value[path], origin[path] = one, Origin(f"{number}.yaml: {path}")
    for path, index in set_to.items():
        value[path], origin[path] = VALUES[path][index], Origin("--set")
    assert dict(leaves(settings_document(found.settings))) == value
    assert found.origins == origin
    assert [*found.origins] == [path for path in DEFAULTS if path in origin]


@settings(max_examples=40, deadline=None)
@given(values, overrides)
def test_a_file_that_is_written_and_read_again_tells_the_same(file, set_to):
    said = [f"{path}={json.dumps(VALUES[path][index])}" for path, index in set_to.items()]
    first = told([layer(1, file)], *said)
    body = settings_file(first.settings, first.firsts())
    again = told([Document("Settings", body, "2.yaml", 0)])
    assert again.settings == first.settings
    assert settings_file(again.settings, again.firsts()) == body


def test_what_a_file_records_comes_first():
    found = told([layer(1, {"goals.moves": 0.5}, {"sources": {"goals.moves": "tune"}})])
    assert found.origins == {"goals.moves": Origin("1.yaml: goals.moves", "tune")}
    assert found.firsts() == {"goals.moves": "tune"}


def test_a_default_in_a_file_that_records_sources_is_recorded_as_one():
    values = {"goals.moves": 0.1, "goals.gang_spread": 9.0, "cycle": "10s"}
    found = told([layer(1, values, {"sources": {"cycle": "--set"}})])
    recorded = {path: origin.recorded for path, origin in found.origins.items()}
    assert recorded == {"cycle": "--set", "goals.moves": "default", "goals.gang_spread": ""}
    assert found.firsts() == {"cycle": "--set", "goals.gang_spread": "1.yaml: goals.gang_spread"}
    # Where nothing is recorded a default is the file's own.
    plain = told([layer(1, values)])
    assert {origin.recorded for origin in plain.origins.values()} == {""}


def test_what_one_file_records_is_not_taken_for_the_next():
    below = layer(1, {"goals.moves": 0.5}, {"sources": {"goals.moves": "tune"}})
    found = told([below, layer(2, {"goals.moves": 0.7})])
    assert found.origins == {"goals.moves": Origin("2.yaml: goals.moves")}


def test_null_on_the_command_line_is_where_a_default_comes_from():
    found = told([layer(1, {"goals.moves": 0.5})], "goals=null")
    assert found.settings == Settings()
    assert found.origins["goals.moves"] == Origin("--set")


def test_a_wrong_source_is_a_fault_of_its_file():
    faults: list = []
    wrong = layer(1, {}, {"sources": {"goals.moovs": "x"}})
    layered([wrong], Sources(), faults)
    assert [fault.path for fault in faults] == ["1.yaml: metadata.sources.goals.moovs"]
    with pytest.raises(InputFault):
        settings_from(wrong.body)
