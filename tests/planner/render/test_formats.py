"""One answer in each format."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from planner.render.formats import Answer, Format, written
from planner.render.screen import Screen

NAMES = st.text(st.characters(exclude_categories=("Cs",)))


def answer(tree: dict, names=()) -> Answer:
    return Answer(tree, lambda: names, lambda wide: ["wide" if wide else "table"], lambda: "<html>")


@given(NAMES, NAMES)
def test_json_and_yaml_give_back_any_text_and_no_control(key, value):
    tree = {"k" + key: [{"id": value}], "x": value}
    for form, read in ((Format.JSON, json.loads), (Format.YAML, yaml.safe_load)):
        text = written(answer(tree), form, Screen())
        assert read(text) == tree
        steering = {c for c in text if not c.isprintable() and c != "\n"} & set(
            map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F)])
        )
        assert not steering


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (Format.TABLE, "table\n"),
        (Format.WIDE, "wide\n"),
        (Format.NAME, "a\nb\\n\n"),
        (Format.HTML, "<html>"),
    ],
)
def test_the_other_formats(form, text):
    assert written(answer({}, ["a", "b\n"]), form, Screen()) == text
