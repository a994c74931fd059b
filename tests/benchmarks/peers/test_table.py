"""The table: values, what is proven, what went wrong."""

import pytest

from benchmarks.peers import __main__ as program
from benchmarks.peers.measured import Measured
from benchmarks.peers.table import proof, settings, table


def row(worth, bounds=(), said="", peer="p"):
    return Measured("i", peer, worth, bounds, 1.0, 2.0, 3.0, 44.4, f"set up as {peer}", said)


@pytest.mark.parametrize(
    ("worth", "bounds", "said"),
    [
        ({"a": 3, "b": 5}, (3.0, 5.0), "all proven"),
        # The slack of floats proves nothing.
        ({"a": 3, "b": 5}, (2.9999, 4.0000001), "b: >= 4"),
        ({"a": 3, "b": 5}, (3, 4), "b: >= 4"),
        ({"a": 3, "b": 5}, (1.2, 5), "a: >= 2"),
        ({"a": 3, "b": 5}, (3, None), "b: none"),
        ({"a": 3, "b": 5}, (3,), "first 1 proven"),
        ({"a": 3}, (), "none"),
        (None, (), "none"),
    ],
)
def test_what_is_proven(worth, bounds, said):
    assert proof(row(worth, bounds)) == said


def test_a_table_an_instance_with_a_line_a_peer():
    rows = [row({"a": 1234}, (1234,)), row(None, said="why", peer="q")]
    lines = list(table(rows))
    assert lines[0] == "**i**"
    assert lines[4] == "| p | 1,234 | all proven | 1.00 | 2.00 | 3.00 | 44 |  |"
    assert lines[5] == "| q | - | none | 1.00 | 2.00 | 3.00 | 44 | why |"
    assert list(settings(rows)) == ["- p: set up as p.", "- q: set up as q."]


def test_what_a_peer_has_no_words_for_is_said_and_not_run(monkeypatch):
    monkeypatch.setattr(program, "measured", lambda *_: pytest.fail("it was run"))
    (only,) = program.rows(["victims-40"], ["meta-highs"], 1.0)
    assert only.worth is None
    assert "gang" in only.said


def test_a_peer_whose_environment_is_missing_is_left_out(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(program, "ROOT", tmp_path)
    assert list(program.commands(1.0)) == ["ours", "greedy", "cp-sat"]
    assert list(program.rows(["ownership-small"], ["milp"], 1.0)) == []
    monkeypatch.setattr("sys.argv", ["peers", "--instance", "ownership-small", "--peer", "greedy"])
    program.main()
    told = capsys.readouterr()
    assert told.err.splitlines()[0] == program.MISSING
    assert "| greedy | 0 | 5 |" in told.out
