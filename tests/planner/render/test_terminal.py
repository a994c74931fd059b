"""Tables and sentences as text: nothing is lost, nothing steers a terminal."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.render.printable import printable
from planner.render.screen import Screen
from planner.render.table import Table, brief
from planner.render.terminal import draw

SCREENS = [Screen(), Screen(200), Screen(200, styled=True)]


@given(st.text())
def test_printable_text_is_on_one_line_and_without_controls(text):
    shown = printable(text)
    assert shown.isprintable()
    assert (shown == text) is text.isprintable()


def test_printable_escapes_what_python_would():
    assert printable("a\x1b\x9b\u202e\n\t\ud800é猫") == "a\\x1b\\x9b\\u202e\\n\\t\\ud800é猫"


def table(*rows: tuple[str, ...]) -> Table:
    return Table("Title", ("NAME", "COUNT"), rows, "Nothing.", frozenset({"COUNT"}))


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("cell", ["[red]x[/red]", "[/]", "\\[x]", ":smile:", "a\x1b[31mb", "{x}"])
def test_cells_are_shown_as_they_are(screen, cell):
    text = draw([table((cell, "1")), cell], screen)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert plain.count(printable(cell)) == 2
    assert "\x1b[31m" not in text
    assert screen.styled or "\x1b" not in text


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\nb", "a\tb", "a\u202eb", "a\u2028b", "[red]x"])
def test_titles_headings_and_sentences_are_as_harmless_as_cells(screen, name):
    named = Table(name, (name, "B"), [("1", "2")])
    text = draw([named, Table("T", ("A",), (), name)], screen)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert plain.count(printable(name)) == 3
    assert all(line.isprintable() for line in plain.split("\n"))
    assert "\x1b[31m" not in text


def test_columns_are_aligned_and_numbers_flush_right():
    assert draw([table(("a", "1"), ("long", "100"), ("猫猫猫", "20"))], Screen()) == (
        "Title\nNAME    COUNT\na           1\nlong      100\n猫猫猫     20\n"
    )


@pytest.mark.parametrize("screen", SCREENS)
def test_an_empty_table_is_a_sentence_or_left_out(screen):
    assert draw([table(), Table("T", ("A",), ()), "end"], screen) == "Nothing.\n\nend\n"


def test_a_pipe_is_never_folded_and_a_screen_always():
    wide = table(("word " * 60, "1"))
    assert max(map(len, draw([wide], Screen()).splitlines())) > 300
    assert max(map(len, draw([wide], Screen(50)).splitlines())) <= 50


def test_nothing_trails_a_line():
    text = draw([table(("a", "1")), Table("T", ("A", "B"), [("1", ""), ("222", "x")])], Screen())
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c", "d"], "a, b ... d"),
        (["\n", "b", "c", "\x1b"], "\\n, b ... \\x1b"),
    ],
)
def test_many_names_in_brief(names, shown):
    assert brief(names) == shown
