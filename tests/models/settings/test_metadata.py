"""What a settings file says of itself: read, checked, and never taken for a setting."""

import pytest

from models.errors import InputFault
from models.settings import Metadata, Settings, recorded, settings_file, settings_from


def faults(metadata: object, path: str = "") -> list[str]:
    with pytest.raises(InputFault) as caught:
        settings_from({"metadata": metadata}, path)
    return [str(fault) for fault in caught.value.faults]


def test_name_and_sources_are_kept():
    body = {"metadata": {"name": "tuned", "sources": {"goals.moves": "--set"}}}
    assert recorded(body) == Metadata(name="tuned", sources={"goals.moves": "--set"})
    assert settings_from(body) == Settings()


@pytest.mark.parametrize("metadata", [None, {}, {"name": None, "sources": None}])
def test_what_is_absent_or_null_records_nothing(metadata):
    assert recorded({"metadata": metadata}) == Metadata() == recorded({})


def test_a_source_that_is_null_is_none():
    body = {"metadata": {"sources": {"goals.moves": None, "cycle": "x"}}}
    assert recorded(body).sources == {"cycle": "x"}


def test_a_file_without_sources_is_told_from_one_with_none_to_tell():
    assert recorded(settings_file(Settings(), {})).sources == {}
    assert recorded({}).sources is None


@pytest.mark.parametrize(
    ("metadata", "path", "words"),
    [
        (3, "metadata", ["3", "mapping"]),
        ({"nam": 1}, "metadata.nam", ["unknown", "name"]),
        ({"sources": ["goals.moves"]}, "metadata.sources", ["mapping"]),
        ({"sources": {"goals.moves": 3}}, "metadata.sources.goals.moves", ["3", "text"]),
        ({"sources": {"goals.moves": ""}}, "metadata.sources.goals.moves", ["empty"]),
        ({"sources": {"goals.moovs": "x"}}, "metadata.sources.goals.moovs", ["x", "goals.moves'"]),
        ({"sources": {"release.hold": "x"}}, "metadata.sources.release.hold", ["x", "section"]),
        ({"sources": {"": "x"}}, "metadata.sources", ["empty"]),
        ({"sources": {"": ""}}, "metadata.sources", ["empty"]),
        ({"sources": {"": {"a": 1}}}, "metadata.sources", ["empty"]),
        ({"sources": {"": ["a"]}}, "metadata.sources", ["empty"]),
        ({"sources": {7: "x"}}, "metadata.sources", ["7"]),
    ],
)
def test_faults_name_path_and_value(metadata, path, words):
    [told] = faults(metadata)
    assert told.startswith(f"{path}: ")
    assert all(word in told for word in words), told


def test_a_key_that_is_refused_hides_nothing_beside_it():
    told = faults({"sources": {"": "", "goals.moves": "", "cycle": ""}})
    assert sorted(line.split(":")[0] for line in told) == [
        "metadata.sources",
        "metadata.sources.cycle",
        "metadata.sources.goals.moves",
    ]


def test_all_faults_at_once_below_a_path():
    told = faults({"nam": 1, "sources": {"goals.moovs": "x", "cycel": "y"}}, "settings")
    assert [line.split(":")[0] for line in told] == [
        "settings.metadata.sources.goals.moovs",
        "settings.metadata.sources.cycel",
        "settings.metadata.nam",
    ]
