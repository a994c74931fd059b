"""The example that ``make run`` shows."""

import re

import pytest

from planner import example


def test_the_example_says_what_comes_of_the_fleet(tmp_path, capsys):
    example.main(out=tmp_path)
    shown = capsys.readouterr().out
    for said in (
        "OpenB: 1,655 machines, 1,523 of them real",
        "Served by priority",
        "Orders of the shards",
        "Bought",
        "Moves",
        "Still short",
        "Cost an hour: $0.00 before",
    ):
        assert said in shown
    assert re.search(r"(OPTIMAL|FEASIBLE) in [\d.]+ s, at every priority within [\d.]+% of", shown)
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fleet.yaml", "report.html"]


def test_data_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SystemExit, match=r"openb.*there is no folder"):
        example.main(data=tmp_path, out=tmp_path / "out")
