"""What is sent to workers, and what tells one fleet from another."""

import pytest

from models.rules import Goal
from planner.tune.ground import packed, unpacked
from planner.tune.solve import effect_of
from planner.tune.trial import Trial
from tests.planner.cli.fleets import TWO_SHARDS
from tests.planner.tune.worlds import ground, slot, trading


def test_a_ground_that_was_sent_gives_the_same_plans(tmp_path):
    here = ground(tmp_path, TWO_SHARDS)
    (there,) = unpacked(packed([here]))
    assert (there.name, there.digest, there.settings) == (here.name, here.digest, here.settings)
    trial, clock = Trial(1, {Goal.MOVES: 0.5}), lambda: 0.0
    assert effect_of(there, trial, clock) == effect_of(here, trial, clock)


def test_resources_of_needs_stay_read_only(tmp_path):
    (there,) = unpacked(packed([ground(tmp_path)]))
    with pytest.raises(TypeError):
        there.snapshot.fleet.needs[0].resources["cpu"] = 1


def digest(folder, **fields) -> str:
    fleet = trading()
    fleet["machines"] = [slot("x", 1, 60, count=1) | fields, *fleet["machines"]]
    return ground(folder, fleet).digest


def test_ages_that_decide_nothing_are_no_change(tmp_path):
    assert digest(tmp_path, stateSince="-10m") == digest(tmp_path, stateSince="-20m")


@pytest.mark.parametrize(
    "fields", [{"pricePerHour": 2}, {"readySeconds": 61}, {"id": "y"}, {"pinned": True}]
)
def test_everything_else_is(tmp_path, fields):
    assert digest(tmp_path, **fields) != digest(tmp_path)


def test_rules_are_part_of_it(tmp_path):
    settings = {"kind": "Settings", "rebalance": {"max_moves": 2}}
    assert ground(tmp_path, trading(), settings).digest != ground(tmp_path, trading()).digest
