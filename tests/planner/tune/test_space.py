"""Ranges of weights, from text to a grid."""

import math
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.errors import InputFault
from models.rules import Goal
from planner.tune.space import MOST_TRIALS, STEPS, Range, grid, holds, is_within, ranges_of, size_of

weights = st.floats(0, 1e9, allow_subnormal=False).map(lambda w: float(f"{w:.9g}"))


@st.composite
def ranges(draw):
    is_log = draw(st.booleans())
    low, high = sorted(draw(st.lists(weights, min_size=2, max_size=2, unique=True)))
    return Range(
        draw(st.sampled_from(Goal)), low, high, draw(st.integers(2, 40)), is_log and low > 0
    )


@given(ranges())
def test_a_range_is_read_as_it_is_written(each):
    assert ranges_of([str(each)]) == (each,)


@given(ranges())
def test_values_go_from_end_to_end_in_like_steps(each):
    values = each.values()
    assert (values[0], values[-1], len(values)) == (each.low, each.high, each.steps)
    assert list(values) == sorted(values)
    scale = math.log if each.is_log else float
    steps = [scale(b) - scale(a) for a, b in pairwise(values)]
    whole = scale(each.high) - scale(each.low)
    noise = 1e-8 * max(abs(scale(each.high)), abs(scale(each.low)), 1e-300)
    assert all(abs(step - whole / (each.steps - 1)) <= noise for step in steps)


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.integers(2, 2000), st.booleans())
def test_whatever_is_read_has_steps_that_differ(low, high, steps, is_log):
    try:
        (each,) = ranges_of([f"moves={low!r}:{high!r}:{steps}{':log' * is_log}"])
    except InputFault:
        return
    assert all(below < above for below, above in pairwise(each.values()))


@given(st.floats(1e-9, 1e8), st.integers(0, 300), st.integers(3, 2000))
def test_ends_next_to_each_other_have_no_steps_between(low, ulps, steps):
    high = low
    for _ in range(ulps):
        high = math.nextafter(high, math.inf)
    with pytest.raises(InputFault, match=r"is not below|too many"):
        ranges_of([f"moves={low!r}:{high!r}:{steps}"])


def test_a_search_heeds_no_steps_however_many():
    assert ranges_of(["moves=1:1.0000000000001:999999"])[0].steps == 999999


@pytest.mark.parametrize(
    ("weights", "is_in"),
    [
        ({Goal.MOVES: 1.0, Goal.GANG_SPREAD: 2.0}, True),
        ({Goal.MOVES: 0.0, Goal.GANG_SPREAD: 3.0}, True),
        ({Goal.MOVES: 1.1, Goal.GANG_SPREAD: 2.0}, False),
        ({Goal.MOVES: 1.0, Goal.GANG_SPREAD: 1.9}, False),
        ({Goal.MOVES: 1.0}, False),
        ({Goal.MOVES: 1.0, Goal.GANG_SPREAD: 2.0, Goal.RUNNING_COST: 1.0}, False),
    ],
)
def test_weights_are_within_ranges_of_the_same_goals(weights, is_in):
    assert is_within(ranges_of(["moves=0:1", "gang_spread=2:3"]), weights) is is_in


def test_round_factors_give_round_weights():
    assert ranges_of(["moves=0.01:10:4:log"])[0].values() == (0.01, 0.1, 1.0, 10.0)
    assert ranges_of(["moves=0:1"])[0].values() == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert ranges_of(["moves=0.1:1:log"])[0].steps == STEPS


@given(st.lists(ranges(), min_size=1, max_size=3, unique_by=lambda each: each.goal))
def test_the_grid_is_every_combination_in_order(several):
    if math.prod(each.steps for each in several) > 1000:
        several = several[:1]
    points = grid(several)
    assert [tuple(point.values()) for point in points] == list(
        product(*(each.values() for each in several))
    )
    assert all(list(point) == [each.goal for each in several] for point in points)


@given(
    st.lists(ranges(), min_size=1, max_size=2, unique_by=lambda each: each.goal),
    st.randoms(use_true_random=False),
)
def test_size_and_points_are_told_without_a_grid(several, chance):
    points = grid(several)
    assert size_of(several) == len(points)
    near = {goal: weight for goal, weight in chance.choice(points).items()}
    assert holds(several, near)
    goal = chance.choice(list(near))
    for weight in (near[goal], near[goal] / 2 + 1e-3, -1.0):
        assert holds(several, near | {goal: weight}) == (near | {goal: weight} in points)


def test_a_grid_may_have_so_many_points_and_no_more():
    assert len(grid([Range(Goal.MOVES, 0, 1, MOST_TRIALS, False)])) == MOST_TRIALS
    with pytest.raises(InputFault, match=r"101 x 100 = 10,100 points, and 10,000 are the most"):
        grid(ranges_of(["moves=0:1:101", "gang_spread=0:1:100"]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("moves", "is not of the form goal=lo:hi[:steps][:log]."),
        ("moves=1", "is not of the form"),
        ("moves=0:1:2:3", "is not of the form"),
        ("moves=0:1:2:log:5", "is not of the form"),
        ("movs=0:1", "there is no goal 'movs'; did you mean 'moves'?"),
        ("=0:1", "there is no goal ''."),
        ("moves=x:1", "'x' is not a weight; write a number of USD."),
        ("moves=-1:1", "'-1' is not between 0 and 1e+09."),
        ("moves=0:nan", "'nan' is not between"),
        ("moves=0:inf", "'inf' is not between"),
        ("moves=0:2e9", "'2e9' is not between"),
        ("moves=1:1", "1 is not below 1; for one weight write --set goals.moves."),
        ("moves=2:1", "2 is not below 1"),
        ("moves=0:1:1", "'1' steps are too few; both ends are tried."),
        ("moves=0:1:0", "'0' steps are too few"),
        ("moves=0:1:-3", "'-3' is not a number of steps"),
        ("moves=0:1:lgo", "'lgo' is not a number of steps"),
        ("moves=0:1:9999999", "'9999999' is not a number of steps"),
        ("moves=0:1:5:lin", "is not of the form"),
        ("moves=0:1:" + "9" * 5000, "is not a number of steps"),
        ("moves=0:1:\u0663", "'\u0663' is not a number of steps"),
        ("moves=0:1:1_0", "'1_0' is not a number of steps"),
        ("moves=0:1:\uff12", "'\uff12' is not a number of steps"),
        ("moves=0:\uff11", "'\uff11' is not a weight"),
        ("moves=1_0:20", "'1_0' is not a weight"),
        ("moves=0:" + "9" * 5000, "is not between"),
        ("moves=1:1.0000000000001:5", "5 steps are too many between weights so near"),
        ("moves=1:1.0000000001:300:log", "300 steps are too many"),
        ("moves=0:5e-324:3", "3 steps are too many"),
        ("moves=0:1:5:log", "a range by factors cannot begin at 0"),
    ],
)
def test_what_is_no_range_is_refused(text, said):
    with pytest.raises(InputFault) as caught:
        ranges_of([text])
    (fault,) = caught.value.faults
    assert fault.path == f"--weight {text}"
    assert said in fault.message


def test_all_faults_are_told_at_once():
    with pytest.raises(InputFault) as caught:
        ranges_of(["moves=0:1", "x=0:1", "moves=0:2", "gang_spread=1"])
    assert [str(fault) for fault in caught.value.faults] == [
        "--weight x=0:1: there is no goal 'x'.",
        "--weight moves=0:2: moves has a range already.",
        "--weight gang_spread=1: is not of the form goal=lo:hi[:steps][:log].",
    ]
