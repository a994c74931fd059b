"""Results as lines: one thing wrong anywhere in a line and it is no result."""

import copy
import json
import math

import pytest

from models.outcome import Outcome
from models.plan import Level
from models.rules import Goal
from planner.tune.journal_line import line_of, object_in, result_in, tree_of
from planner.tune.trial import Effect, Result, Trial

VALUES = {Goal.MOVES: 1.5, Goal.GANG_SPREAD: 2.0}
EFFECT = Effect(
    Outcome.OPTIMAL, (Level(-7, 9, 5, 9), Level(-8, 1, 0, 1)), 1, 2, VALUES, VALUES, False, 0.5
)
RESULT = Result(Trial(3, {Goal.MOVES: 0.1}), (EFFECT, EFFECT))
TREE = json.loads(line_of(tree_of(RESULT)))


def places(value: object, path: tuple = ()):
    """Give the path of every value within."""
    yield path
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, each in value.items() if isinstance(value, dict) else ():
        yield from places(each, (*path, key))


def changed(path: tuple, change) -> object:
    """Give the tree with the value at a path changed, or taken away where that gives None."""
    tree = {"": copy.deepcopy(TREE)}
    *above, last = ("", *path)
    inner = tree
    for key in above:
        inner = inner[key]
    inner[last] = change(inner[last])
    return tree[""]


def test_it_is_read_as_it_was_written():
    assert result_in(object_in(line_of(tree_of(RESULT)))) == RESULT


WRONG = ["x", "1", None, [], {}, [1], {"x": 1}, math.inf, -math.inf, math.nan, 10**400, True, -1e9]


@pytest.mark.parametrize("path", [*places(TREE)], ids=str)
def test_a_value_of_another_kind_anywhere_is_no_result(path):
    for wrong in WRONG:
        tree = changed(path, lambda old, wrong=wrong: wrong)
        try:
            found = result_in(tree)
        except ValueError:
            continue
        # Then it is as good as what was there: empty lists, other numbers, true for false.
        said = json.loads(line_of(tree_of(found)))
        assert said == tree
        assert wrong in ([], {}) or type(wrong) is bool or wrong == -1e9


@pytest.mark.parametrize("path", [p for p in places(TREE) if p], ids=str)
def test_what_is_missing_or_too_much_is_no_result(path):
    *above, last = path

    def without(old):
        return (
            {key: value for key, value in old.items() if key != last}
            if isinstance(old, dict)
            else old[:last] + old[last + 1 :]
        )

    def with_more(old):
        return old | {"more": 1} if isinstance(old, dict) else [*old, "more"]

    for change in (without, with_more):
        try:
            tree = changed(tuple(above), change)
            found = result_in(tree)
        except ValueError:
            continue
        # Goals, levels and snapshots are as many as they are; see test_expected.
        assert above[-1] in ("weights", "before", "after", "levels", "reached")
        assert change is without
        assert found != RESULT


@pytest.mark.parametrize("path", [*places(TREE)], ids=str)
def test_whole_numbers_are_whole(path):
    value = TREE
    for key in path:
        value = value[key]
    if type(value) is int:
        with pytest.raises(ValueError, match="whole"):
            result_in(changed(path, float))
        with pytest.raises(ValueError, match="whole"):
            result_in(changed(path, lambda old: 2**64))


@pytest.mark.parametrize(
    "line",
    [b"", b"\xff", b"1", b"[]", b"[" * 10**5, b'{"a":' * 10**5, b'{"a":1,"a":1}', b"9" * 5000],
    ids=range(8),
)
def test_what_is_no_object_is_refused(line):
    with pytest.raises(ValueError, match=r"is n|utf-8|more than|duplicate"):
        object_in(line)


@pytest.mark.parametrize(
    "path",
    [("trial",), *(("reached", 0, key) for key in ("drained", "created")),
     *(("reached", 1, "levels", 1, column) for column in (1, 2, 3))],
    ids=str,
)  # fmt: skip
def test_counts_are_not_below_zero(path):
    with pytest.raises(ValueError, match="no count"):
        result_in(changed(path, lambda old: -1))
