"""The journal: what is read is what was written, whatever became of the last line."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InputFault
from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.tune.journal import journal_at
from planner.tune.trial import Effect, Result, Trial

HEAD = {"fleets": ["f"], "settings": "s", "weights": ["moves=0:1:2"]}
numbers = st.floats(allow_nan=False)
by_goal = st.dictionaries(st.sampled_from(Goal), numbers, max_size=3)
counts = st.integers(0, 2**63)
levels = st.builds(Level, st.integers(-(2**31), 2**31 - 1), counts, counts, counts)
plans = st.builds(
    Effect,
    outcome=st.sampled_from(Outcome),
    levels=st.lists(levels, max_size=3).map(tuple),
    drained=counts,
    created=counts,
    before=by_goal,
    after=by_goal,
    is_late=st.booleans(),
    seconds=st.floats(0, 1e6),
)
results = st.builds(
    Result,
    trial=st.builds(Trial, number=st.integers(0, 10_000), weights=by_goal),
    effects=st.lists(plans, max_size=2).map(tuple),
)


def result(number: int) -> Result:
    return Result(Trial(number, {Goal.MOVES: 0.1 * number}), ())


@settings(max_examples=40)
@given(st.lists(results, max_size=4, unique_by=lambda each: each.trial.number))
def test_what_is_kept_is_read_again(tmp_path_factory, several):
    path = tmp_path_factory.mktemp("j") / "journal"
    with journal_at(path, HEAD) as journal:
        for each in several:
            journal.add(each)
    with journal_at(path, HEAD) as journal:
        assert journal.results == {each.trial.number: each for each in several}
        assert list(journal.results) == [each.trial.number for each in several]


def test_a_last_line_cut_off_anywhere_is_taken_away(tmp_path):
    path = tmp_path / "journal"
    with journal_at(path, HEAD) as journal:
        journal.add(result(1))
        journal.add(result(2))
    whole = path.read_bytes()
    head, first, _ = whole.splitlines(keepends=True)
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        with journal_at(path, HEAD) as journal:
            kept = [1] * (size >= len(head + first)) + [2] * (size == len(whole))
            assert list(journal.results) == kept
            journal.add(result(3))
        with journal_at(path, HEAD) as journal:
            assert list(journal.results) == [*kept, 3]


def test_a_result_is_on_the_disk_at_once(tmp_path):
    path = tmp_path / "journal"
    with journal_at(path, HEAD) as journal:
        assert len(path.read_bytes().splitlines()) == 1
        journal.add(result(1))
        assert len(path.read_bytes().splitlines()) == 2


def test_what_failed_is_not_kept(tmp_path):
    path = tmp_path / "journal"
    with journal_at(path, HEAD) as journal:
        journal.add(Result(Trial(1, {}), (), "out of memory"))
        assert journal.results == {}
    with journal_at(path, HEAD) as journal:
        assert journal.results == {}


def test_the_last_line_of_a_trial_holds(tmp_path):
    path = tmp_path / "journal"
    again = Result(Trial(1, {Goal.MOVES: 5.0}), ())
    with journal_at(path, HEAD) as journal:
        journal.add(result(1))
        journal.add(again)
    with journal_at(path, HEAD) as journal:
        assert journal.results == {1: again}


def refusal(path, head=HEAD) -> str:
    with pytest.raises(InputFault) as caught, journal_at(path, head):
        pass
    return str(caught.value)


def test_a_journal_of_another_sweep_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "journal"
    with journal_at(path, HEAD) as journal:
        journal.add(result(1))
    before = path.read_bytes()
    other = HEAD | {"settings": "t", "weights": []}
    assert refusal(path, other) == (
        f"{path}: is of another sweep: settings, weights differ; name another file."
    )
    assert refusal(path, HEAD | {"search": "pareto"}).endswith("search differ; name another file.")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"apiVersion: bigfleet.dev/v1\n", "line 1: is no JSON object."),
        (b"[1]\n", "line 1: is no JSON object."),
        (b'{"kind": "Fleet"}\n', "is no journal of bigfleet tune."),
        (b"\xff\n", "line 1: is no JSON object."),
    ],
)
def test_what_is_no_journal_is_refused_and_left_alone(tmp_path, content, said):
    path = tmp_path / "journal"
    path.write_bytes(content)
    assert refusal(path) == f"{path}: {said}"
    assert path.read_bytes() == content


@pytest.mark.parametrize("line", ["x", "[]", "{}", '{"trial": 1, "weights": {"mvs": 1}}'])
def test_a_wrong_line_in_the_middle_is_named(tmp_path, line):
    path = tmp_path / "journal"
    with journal_at(path, HEAD) as journal:
        journal.add(result(1))
    path.write_text(f"{path.read_text()}{line}\n{json.dumps({'trial': 2})}\n")
    assert refusal(path).startswith(f"{path}: line 3: is no ")


def test_two_sweeps_cannot_share_a_journal(tmp_path):
    path = tmp_path / "journal"
    with journal_at(path, HEAD):
        assert refusal(path) == f"{path}: is in use by another sweep."


def test_a_folder_is_no_journal(tmp_path):
    assert refusal(tmp_path) == f"{tmp_path}: cannot be used: Is a directory."
    assert "No such file or directory" in refusal(tmp_path / "no" / "journal")
