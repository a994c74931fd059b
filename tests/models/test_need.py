"""Needs: names, gangs and spreads."""

from dataclasses import FrozenInstanceError

import pytest

from models.need import Need, Spread, WhenUnsatisfiable


def test_the_name_is_the_id_where_the_file_wrote_no_other():
    assert Need("train", "a", 1).name == "train"
    assert Need("train", "a", 1, name="a/train").name == "a/train"


def test_a_gang_is_a_need_with_same():
    assert Need("n", "a", 1, same="zone").is_gang
    assert not Need("n", "a", 1).is_gang


def test_the_defaults_are_those_of_the_file_format():
    need = Need("n", "a", 1)
    assert (need.priority, need.interruption_penalty, need.reclamation_penalty) == (0, 0, 0)
    assert (need.drain_seconds, need.floor, need.same, need.spread) == (30, 0, None, ())
    assert Spread("zone").max_skew == 1


def test_a_spread_is_a_rule_unless_it_says_otherwise():
    assert Spread("zone").is_hard
    assert Spread("zone", 1, WhenUnsatisfiable.DO_NOT_SCHEDULE).is_hard
    assert not Spread("zone", 1, WhenUnsatisfiable.SCHEDULE_ANYWAY).is_hard


def test_a_need_cannot_be_changed():
    need = Need("n", "a", 1, resources=Need("m", "a", 1).resources)
    with pytest.raises(FrozenInstanceError):
        need.count = 2
    with pytest.raises(TypeError):
        need.resources["gpu"] = 1
