"""Paths of settings, mappings put over each other, and what an override names."""

import pytest

from models.settings import Settings, leaves, settings_document, with_overrides
from models.settings.paths import over, paths, without_nulls
from models.settings.reading import settings_named


def test_leaves_and_paths():
    document = {"a": 1, "b": {"c": [2], "d": {}, "e": {"f": None}}}
    assert list(leaves(document)) == [("a", 1), ("b.c", [2]), ("b.e.f", None)]
    assert list(paths(document)) == ["a", "b", "b.c", "b.d", "b.e", "b.e.f"]


def test_over():
    below = {"a": 1, "b": {"c": 2, "d": {"e": 3, "f": 4}}}
    assert over(below, {"b": {"d": {"e": None}, "g": 5}}) == {
        "a": 1,
        "b": {"c": 2, "d": {"e": None, "f": 4}, "g": 5},
    }
    assert over(below, {"b": 7}) == {"a": 1, "b": 7}
    assert over({"a": 1}, {"a": {"b": 2}}) == {"a": {"b": 2}}
    assert below == {"a": 1, "b": {"c": 2, "d": {"e": 3, "f": 4}}}


def test_without_nulls():
    assert without_nulls({"a": None, "b": {"c": None, "d": 0}, "e": []}) == {"b": {"d": 0}, "e": []}


def test_an_override_of_a_section_leaves_the_rest_of_it_at_every_depth():
    base = with_overrides(Settings(), ["release.hold.on-demand=1m"])
    told = with_overrides(base, ['release={"hold": {"spot": "2m"}}'])
    assert (told.release.hold.spot, told.release.hold.on_demand) == (120.0, 60.0)


GOALS = [path for path, _ in leaves(settings_document(Settings())) if path.startswith("goals.")]


@pytest.mark.parametrize(
    ("override", "named"),
    [
        ("cycle=1s", ["cycle"]),
        ("goals.moves=null", ["goals.moves"]),
        ("assign.scarce=[]", ["assign.scarce"]),
        ('release={"hold": {"spot": "2m"}, "window": 3}', ["release.hold.spot", "release.window"]),
        ("release.hold=null", ["release.hold.spot", "release.hold.on-demand"]),
        ("goals=null", GOALS),
        ("goals={}", []),
    ],
)
def test_what_an_override_names(override, named):
    assert settings_named(override) == named
