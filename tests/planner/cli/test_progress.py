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
