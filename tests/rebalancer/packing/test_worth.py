"""Answers are valued as a plain count by hand values them, and bad ones are refused."""

from itertools import product

import numpy as np
import pytest

from rebalancer.problems.packing.columns import RACK, SPINE, Gangs, Racks
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.worth import NOWHERE, holds, key, nowhere, untouched


def as_places(question, home):
    """Give what the oracle takes: None, a rack's row, or (spine, type)."""
    spine = question.racks.spine
    for level, place in zip(question.gangs.level, home, strict=True):
        if place < 0:
            yield None
        elif level == RACK:
            yield int(place)
        else:
            row = int(np.flatnonzero(question.pool == place)[0])
            yield int(spine[row]), int(question.racks.type[row])


def test_all_answers_to_small_questions(random_question, worth):
    sound = unsound = 0
    for seed in range(60):
        question = random_question(seed, spines=True, most=4)
        places = [
            range(-1, len(question.racks) if level == RACK else len(question.pool_type))
            for level in question.gangs.level
        ]
        for choice in product(*places):
            home = np.array(choice, dtype=np.int64)
            expected = worth(question, list(as_places(question, home)))
            assert holds(question, home) == (expected is not None)
            if expected is not None:
                assert key(question, home) == expected
            sound, unsound = sound + (expected is not None), unsound + (expected is None)
    assert min(sound, unsound) > 250


def test_what_is_no_answer_at_all(question_of):
    question = question_of([(0, 0, 0, 4)], [(2, 0, 0, RACK), (2, 0, 0, SPINE)])
    assert holds(question, np.array([0, 0]))
    for home in ([0], [0, 0, 0], [1, 0], [0, 1], [-2, 0], [[0, 0]]):
        assert not holds(question, np.array(home, dtype=np.int64))
    assert not holds(question, np.array([0.0, 0.0]))


def test_racks_are_spared_by_subset(question_of):
    """Eight of 3 + 5 + 6 are drawn: the 6 is spared, though the 5 is, too, in another way."""
    question = question_of([(0, n, 0, f) for n, f in enumerate([3, 5, 6])], [(8, 0, 0, SPINE)])
    assert untouched(question, np.array([0])).tolist() == [False, False, True]
    assert untouched(question, nowhere(question)).tolist() == [True, True, True]


def test_a_rack_without_free_machines_is_not_spared(question_of):
    question = question_of([(0, 0, 0, 0), (0, 1, 0, 1)], [(1, 0, 0, SPINE)])
    assert untouched(question, np.array([NOWHERE])).tolist() == [False, True]


def column(*values):
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ((column(0), column(0), column(0), column(-1)), r"free\[0\] is -1"),
        ((column(0), column(0), column(0), column(1, 2)), "differ in shape"),
        ((column(0), column(0), column(0), np.array([1.0])), "float64, expected int64"),
        ((column(0, 0), column(3, 3), column(0, 0), column(1, 2)), "share domain and type"),
        ((column(0, 1), column(3, 3), column(0, 1), column(1, 2)), "lies in two spines"),
    ],
)
def test_racks_that_make_no_sense(columns, says):
    with pytest.raises(ValueError, match=says):
        Racks(*columns)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ((0, 0, 0, RACK), r"size\[0\] is 0"),
        ((1, 0, -1, RACK), r"types\[0\] is -1"),
        ((1, 0, 0, 2), "level is 2"),
    ],
)
def test_gangs_that_make_no_sense(row, says):
    with pytest.raises(ValueError, match=says):
        Gangs(*(column(value) for value in row))


def test_types_and_sets_must_be_known():
    racks, gangs = Racks(*[column(0)] * 4), Gangs(*[column(1), column(0), column(1), column(0)])
    assert len(Hall(racks, gangs, np.ones((2, 1), dtype=np.bool_)).pool_type) == 1
    with pytest.raises(ValueError, match="set 1 has no row"):
        Hall(racks, gangs, np.ones((1, 1), dtype=np.bool_))
    with pytest.raises(ValueError, match="type 0 has no column"):
        Hall(racks, gangs, np.ones((2, 0), dtype=np.bool_))
    with pytest.raises(ValueError, match="no matrix of bool"):
        Hall(racks, gangs, np.ones((2, 1), dtype=np.int64))


def test_columns_are_read_only(question_of):
    question = question_of([(0, 0, 0, 4)], [(2, 0, 0, RACK)])
    with pytest.raises(ValueError, match="read-only"):
        question.racks.free[0] = 9


def test_two_racks_are_spared_where_the_largest_would_be_less(question_of):
    """Of 11 machines 5 are drawn; 3 + 3 can be spared, beside the 5 nothing more."""
    question = question_of([(0, n, 0, f) for n, f in enumerate([5, 3, 3])], [(5, 0, 0, SPINE)])
    assert untouched(question, np.array([0])).tolist() == [False, True, True]
