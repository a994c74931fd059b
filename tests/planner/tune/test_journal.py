"""The journal: what is read is what was written, whatever became of the last line."""

import errno
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.errors import InputFault
from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.tune.journal import FORMAT, journal_at
from planner.tune.journal_line import line_of, tree_of
from planner.tune.trial import Effect, Result, Trial

HEAD = {"fleets": ["f"], "settings": "s", "weights": ["moves=0:1:2"]}
numbers = st.floats(allow_nan=False, allow_infinity=False)
by_goal = st.dictionaries(st.sampled_from(Goal), numbers, max_size=3)
counts = st.integers(0, 2**63 - 1)
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


def opened(path, head=HEAD, fits=lambda result: True):
    return journal_at(path, head, fits)


def result(number: int) -> Result:
    return Result(Trial(number, {Goal.MOVES: 0.1 * number}), ())


@settings(max_examples=40, deadline=None)
@given(st.lists(results, max_size=4, unique_by=lambda each: each.trial.number))
def test_what_is_kept_is_read_again(tmp_path_factory, several):
    path = tmp_path_factory.mktemp("j") / "journal"
    with opened(path) as journal:
        for each in several:
            journal.add(each)
    with opened(path) as journal:
        assert journal.results == {each.trial.number: each for each in several}
        assert list(journal.results) == [each.trial.number for each in several]


def test_a_last_line_cut_off_anywhere_is_taken_away(tmp_path):
    path = tmp_path / "journal"
    with opened(path) as journal:
        journal.add(result(1))
        journal.add(result(2))
    whole = path.read_bytes()
    head, first, _ = whole.splitlines(keepends=True)
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        with opened(path) as journal:
            kept = [1] * (size >= len(head + first)) + [2] * (size == len(whole))
            assert list(journal.results) == kept
            journal.add(result(3))
        with opened(path) as journal:
            assert list(journal.results) == [*kept, 3]


def test_a_result_is_on_the_disk_at_once(tmp_path):
    path = tmp_path / "journal"
    with opened(path) as journal:
        assert len(path.read_bytes().splitlines()) == 1
        journal.add(result(1))
        assert len(path.read_bytes().splitlines()) == 2


def test_what_failed_is_not_kept(tmp_path):
    path = tmp_path / "journal"
    with opened(path) as journal:
        journal.add(Result(Trial(1, {}), (), "out of memory"))
        assert journal.results == {}
    with opened(path) as journal:
        assert journal.results == {}


def test_the_last_line_of_a_trial_holds(tmp_path):
    path = tmp_path / "journal"
    again = Result(Trial(1, {Goal.MOVES: 5.0}), ())
    with opened(path) as journal:
        journal.add(result(1))
        journal.add(again)
    with opened(path) as journal:
        assert journal.results == {1: again}


def refusal(path, head=HEAD) -> str:
    with pytest.raises(InputFault) as caught, opened(path, head):
        pass
    return str(caught.value)


def test_a_journal_of_another_sweep_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "journal"
    with opened(path) as journal:
        journal.add(result(1))
    before = path.read_bytes()
    other = HEAD | {"settings": "t", "weights": []}
    assert refusal(path, other) == (
        f"{path}: is of another sweep: settings, weights differ; name another file."
    )
    assert refusal(path, HEAD | {"search": "pareto"}).endswith("search differ; name another file.")
    assert path.read_bytes() == before


def whole(number: int = 1) -> bytes:
    """Give the line of a result with one effect."""
    level = Level(7, 9, 5, 9)
    values = {Goal.MOVES: 1.5}
    effect = Effect(Outcome.OPTIMAL, (level,), 1, 2, values, values, False, 0.5)
    return line_of(tree_of(Result(Trial(number, {Goal.MOVES: 0.1}), (effect,))))


HEAD_LINE = line_of({"bigfleet": "tune", "format": FORMAT, **HEAD})


@pytest.mark.parametrize(
    "content",
    [
        b"apiVersion: bigfleet.dev/v1\n",
        b"kind: Fleet",
        b"x",
        b"\n",
        b"\0",
        b"[1]\n",
        b'{"kind": "Fleet"}\n',
        b'{"kind": "Fleet"}',
        b"\xff\n",
        b"[" * 100_000,
        b"[" * 100_000 + b"\n",
        b"9" * 5000 + b"\n",
        HEAD_LINE[:-1] + b"x",
        HEAD_LINE[:-2] + b"\n",
        b" " + HEAD_LINE,
    ],
    ids=range(15),
)
def test_what_is_no_journal_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "journal"
    path.write_bytes(content)
    if content == b" " + HEAD_LINE:
        # The same as JSON: this is one.
        with opened(path):
            return
    assert refusal(path) == f"{path}: is no journal of bigfleet tune; name another file."
    assert path.read_bytes() == content


# A disk that is busy may take a second for one of them.
@settings(deadline=None)
@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_nothing_is_written_over_but_the_beginning_of_our_head(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("j") / "journal"
    path.write_bytes(content)
    if HEAD_LINE.startswith(content):
        with opened(path):
            assert path.read_bytes() == HEAD_LINE
    else:
        assert refusal(path)
        assert path.read_bytes() == content


def test_a_head_with_more_in_it_is_of_another_sweep(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(line_of({"bigfleet": "tune", "format": FORMAT, **HEAD, "a\nb": 1}))
    assert refusal(path) == f"{path}: is of another sweep: a\\nb differ; name another file."


WRONG = {
    "x": "a trial",
    "[]": "a trial",
    "{}": "a trial",
    "": "a trial",
    "[" * 100_000: "a trial",
    "9" * 5000: "a trial",
    '{"trial":2,"weights":{"mvs":1},"reached":[]}': "trial 2 of this sweep",
    '{"trial":2}': "trial 2 of this sweep",
    '{"trial":[],"weights":{},"reached":[]}': "a trial",
    f'{{"trial":{"9" * 400},"weights":{{}},"reached":[]}}': "a trial",
    '{"trial":3,"trial":3,"weights":{},"reached":[]}': "a trial",
}


@pytest.mark.parametrize("line", WRONG, ids=range(len(WRONG)))
def test_a_wrong_line_in_the_middle_is_named(tmp_path, line):
    path = tmp_path / "journal"
    content = HEAD_LINE + whole() + line.encode() + b"\n" + whole(2) + b"cut off"
    path.write_bytes(content)
    assert refusal(path) == (
        f"{path}: line 3: is no result of {WRONG[line]}; take the line away, or name another file."
    )
    # The end neither: who has to mend the file is to find it as it was.
    assert path.read_bytes() == content


def test_a_line_without_an_end_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("planner.tune.journal.MOST_LINE_BYTES", len(HEAD_LINE))
    path = tmp_path / "journal"
    path.write_bytes(HEAD_LINE + b"1" * 2 * len(HEAD_LINE))
    assert "line 2: is no result" in refusal(path)


def test_what_does_not_fit_the_sweep_is_no_result_of_it(tmp_path):
    path = tmp_path / "journal"
    path.write_bytes(HEAD_LINE + whole(1) + whole(2))
    fits = opened(path, HEAD, lambda result: result.trial.number < 2)
    with pytest.raises(InputFault, match="line 3: is no result of trial 2 of this sweep"), fits:
        pass
    with opened(path, HEAD, lambda result: True) as journal:
        assert list(journal.results) == [1, 2]


def test_two_sweeps_cannot_share_a_journal(tmp_path):
    path = tmp_path / "journal"
    with opened(path):
        assert refusal(path) == f"{path}: is in use by another sweep."


def test_only_a_regular_file_is_a_journal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(tmp_path) == f"{tmp_path}: is a folder; name a file in it."
    assert "No such file or directory" in refusal(tmp_path / "no" / "journal")
    assert refusal("/dev/full") == "/dev/full: is no regular file; name another."
    os.mkfifo("pipe")
    assert refusal("pipe") == "pipe: is no regular file; name another."
    assert refusal("-") == "-: stands for a stream, not for a file; name a file."
    assert "cannot be used" in refusal("")
    assert os.listdir() == ["pipe"]


def test_a_full_disk_is_told_once_and_the_rest_stays(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    write, left = os.write, [len(HEAD_LINE) + 10]

    def short(descriptor, content):
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        count = write(descriptor, content[: min(7, left[0])])
        left[0] -= count
        return count

    monkeypatch.setattr(os, "write", short)
    told = pytest.raises(InputFault, match="cannot be used: No space left on device")
    with told, opened(path) as journal:
        journal.add(result(1))
    assert path.read_bytes()[len(HEAD_LINE) :] == line_of(tree_of(result(1)))[:10]
    monkeypatch.undo()
    with opened(path) as journal:
        assert journal.results == {}


def test_what_goes_wrong_beside_it_is_not_said_of_the_journal(tmp_path):
    with pytest.raises(OSError, match="elsewhere"), opened(tmp_path / "journal"):
        raise OSError("elsewhere")
