"""Settings written to a file are read back as they were, with the sources they came from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InputFault
from models.settings import Settings, leaves, recorded, settings_document, settings_from
from models.settings.sections import GoalSettings
from planner.files import read_document
from planner.files.settings_file import write_settings

PATHS = [path for path, _ in leaves(settings_document(Settings()))]

goals = st.builds(
    GoalSettings,
    **{name: st.floats(0, 1e9) for name in GoalSettings.model_fields},
)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


@pytest.mark.parametrize("name", ["s.yaml", "s.yml", "s.json", "s"])
@settings(max_examples=20, deadline=None)  # each waits for the disk
@given(goals=goals, sources=st.dictionaries(st.sampled_from(PATHS), texts, max_size=5))
def test_reading_gives_what_was_written(tmp_path_factory, name, goals, sources):
    file = tmp_path_factory.getbasetemp() / name
    written = Settings(goals=goals, cycle=0.0005)
    write_settings(file, written, sources)
    body = read_document(file).body
    assert settings_from(body) == written
    assert recorded(body).sources == sources


def test_every_setting_is_written(tmp_path):
    write_settings(tmp_path / "s.yaml", Settings(), {})
    body = read_document(tmp_path / "s.yaml").body
    assert {"apiVersion", "kind", "metadata", *settings_document(Settings())} == set(body)


@pytest.mark.parametrize(
    ("name", "sources", "words"),
    [
        ("s.yaml", {"goals.moovs": "--set"}, ["metadata.sources", "goals.moovs", "goals.moves"]),
        ("s.yaml", {"goals": "--set"}, ["section"]),
        ("s.yaml", {"goals.moves": ""}, ["metadata.sources", "empty"]),
        ("s.parquet", {}, ["s.parquet", ".yaml"]),
        ("no/s.yaml", {}, ["no/s.yaml"]),
    ],
)
def test_what_cannot_be_written_leaves_the_file_alone(tmp_path, name, sources, words):
    if "/" not in name:
        (tmp_path / name).write_text("before")
    with pytest.raises(InputFault) as caught:
        write_settings(tmp_path / name, Settings(), sources)
    assert len(caught.value.faults) == 1
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "/" in name or (tmp_path / name).read_text() == "before"
