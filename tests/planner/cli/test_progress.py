"""Progress: a line on stderr once something takes time, and nothing before."""

import time

import pytest

from planner.cli import progress
from planner.cli.progress import working


@pytest.fixture
def _hurried(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.02)


@pytest.mark.usefixtures("_hurried")
def test_what_takes_time_is_told_once(capsys):
    with working("solving"):
        time.sleep(0.2)
    assert capsys.readouterr() == ("", "solving ...\n")


def test_it_is_told_within_a_second(capsys):
    """The others hurry; this one holds the half second that people really wait."""
    with working("solving"):
        time.sleep(1.0)
    assert capsys.readouterr() == ("", "solving ...\n")


def test_what_is_quick_is_not_told(capsys):
    with working("solving"):
        pass
    time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("_hurried")
def test_an_error_ends_the_wait(capsys):
    with pytest.raises(ZeroDivisionError), working("solving"):
        raise ZeroDivisionError
    time.sleep(0.1)
    assert capsys.readouterr() == ("", "")


def test_progress_is_written_only_where_it_is_asked_for(capsys):
    for lines in (False, True):
        with working("solving", lines=lines) as hear:
            hear("half")
    assert capsys.readouterr() == ("", "solving: half\n")


@pytest.mark.usefixtures("_hurried")
def test_on_a_terminal_it_stands_beside_the_spinner(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with working("solving") as hear:
        hear("half")
        time.sleep(0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "solving: half" in err


@pytest.mark.usefixtures("_hurried")
def test_counts_are_told_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(progress, "COUNT_SECONDS", 0.1)
    with progress.counting("solving", 3) as count:
        count()
        time.sleep(0.2)
        count()
        count()
    assert capsys.readouterr() == ("", "solving ...\nsolving: 2 of 3\n")


def test_what_is_counted_quickly_is_not_told(capsys):
    with progress.counting("solving", 3) as count:
        for _ in range(3):
            count()
    time.sleep(0.05)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_there_is_a_bar(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress.counting("solving", 4) as count:
        count()
        time.sleep(0.2)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "solving" in shown.err
    assert "1/4" in shown.err
