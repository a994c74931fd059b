"""The fence around a solve: its clock, and what it hands on."""

from itertools import count

from hotpath.standing import standing_of
from models.settings import Settings, settings_from
from planner.deciding import decide_shards
from planner.fence.asking import dismiss
from planner.opening import Sources, open_fleet
from planner.solving import solved
from planner.timely import Solved
from rebalancer.solve import begin
from tests.planner.cli.fleets import TWO_SHARDS, write


def standing(tmp_path):
    fleet = open_fleet(write(tmp_path, TWO_SHARDS), Sources()).fleet
    return standing_of(fleet, decide_shards(fleet, Settings(), range(2)))


def test_seconds_are_those_of_the_whole_call_by_the_clock_given(tmp_path):
    ticks = count(100)
    answer = solved(standing(tmp_path), Settings(), lambda: float(next(ticks)))
    assert answer.plan.seconds == next(ticks) - 1 - 100


def test_the_settings_arrive_at_the_solver(tmp_path, monkeypatch):
    told = []

    def spy(work, spare, judge, timing, on_progress):
        work(told.append)
        return Solved(told[0], "")

    asked = {}

    def beginning(snapshot, goals, limits, previous):
        asked.update(snapshot=snapshot, goals=goals, limits=limits, previous=previous)
        return begin(snapshot, goals, limits, previous)

    monkeypatch.setattr("planner.solving.timely", spy)
    monkeypatch.setattr("planner.solving.begin", beginning)
    settings = settings_from(
        {
            "rebalance": {"deadline": "7s", "seed": 3, "workers": 2, "min_gap": 5},
            "goals": {"moves": 9},
        }
    )
    answer = solved(standing(tmp_path), settings)
    limits = asked["limits"]
    assert (limits.seconds, limits.seed, limits.workers) == (7.0, 3, 2)
    assert asked["snapshot"].rules.min_gap == 5
    assert asked["goals"]["moves"] == 9.0
    assert answer.plan.seed == 3
    assert asked["previous"] is None
    solved(standing(tmp_path), settings, previous=answer.plan)
    assert asked["previous"].moves == answer.plan.moves
    dismiss()
