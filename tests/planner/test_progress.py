"""How far a search has come, in numbers and in words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from questions import Tiny
from worlds import RACK, World

from models.settings import Settings
from models.settings.sections import RebalanceSettings
from planner.progress import Progress, progress_of
from planner.solving import solved
from rebalancer.objective import Step
from rebalancer.question import Found


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (
            Progress(1, 4, 900, -6, -8),
            "objective 1 of 4: priority 900 gains 6, at best gains 8, gap 25.00%",
        ),
        (
            Progress(2, 4, 100, 5, -10),
            "objective 2 of 4: priority 100 loses 5, at best gains 10, gap 100.00%",
        ),
        (
            Progress(2, 4, 100, 5, 4),
            "objective 2 of 4: priority 100 loses 5, at best loses 4, gap 20.00%",
        ),
        (
            Progress(2, 4, 100, 0, -3),
            "objective 2 of 4: priority 100 gains 0, at best gains 3, gap 100.00%",
        ),
        (Progress(3, 4, None, 5, None), "objective 3 of 4: 5"),
        (Progress(4, 4, None, 200, 150), "objective 4 of 4: 200, at least 150, gap 25.00%"),
        (Progress(4, 4, None, 0, 0), "objective 4 of 4: 0, at least 0, gap 0.00%"),
        (Progress(4, 4, None, -10, -20), "objective 4 of 4: -10, at least -20, gap 50.00%"),
    ],
)
def test_in_words(progress, text):
    assert str(progress) == text


@given(st.integers(-9, 9), st.integers(0, 9))
def test_a_gap_is_a_share_and_0_only_at_the_bound(value, distance):
    gap = Progress(1, 1, None, value, value - distance).gap
    assert gap is not None
    assert 0 <= gap <= 1
    assert (gap == 0) == (distance == 0)


def test_it_is_at_the_first_objective_that_is_not_proven():
    tiny = Tiny(5)
    question = tiny.question
    first = question.steps[0]
    question = replace(
        question, steps=(replace(first, priority=7), Step(None, first.expression, -9))
    )
    counts = question.start
    value = first.expression.value(counts)

    def at(*bounds):
        return progress_of(question, Found(counts, bounds, False, True, ()))

    assert at(value - 1, -9) == Progress(1, 2, 7, value, value - 1)
    assert at(value, -9) == Progress(2, 2, None, value, None)
    assert at(value, value - 1) == Progress(2, 2, None, value, value - 1)
    assert at(value, value) == Progress(2, 2, None, value, value)


def test_a_solve_tells_how_far_it_is_and_who_watches_spoils_nothing():
    world = World().shard("s0", "a").shard("s1", "b").machines("i", 8, shard="s1", rack="r1")
    for id, size in (("x", 6), ("y", 4), ("z", 4)):
        world.need(f"a/{id}", size, 5, same=RACK)
    settings = Settings(rebalance=RebalanceSettings(deadline=60.0, min_gap=2, workers=1))
    seen = []

    def watch(progress):
        seen.append(progress)
        raise RuntimeError("no more of this")

    answer = solved(world.standing(), settings, on_progress=watch)
    assert answer.complaint == ""
    assert seen[0] == Progress(1, seen[0].objectives, 5, -6, -14)
    assert seen[-1].bound == seen[-1].value
