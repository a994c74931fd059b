"""Warnings of what is legal but hardly meant, and no word on what lies beside it."""

import pytest

from models.rules import Goal
from models.settings import Settings, with_overrides
from models.settings.oddities import oddities


def odd(*overrides: str) -> list[tuple[str, object]]:
    return [(each.path, each.value) for each in oddities(with_overrides(Settings(), overrides))]


def test_the_defaults_are_not_odd():
    assert oddities(Settings()) == []


ODD = [
    (["needs.ttl=9s"], "needs.ttl", "9s"),
    (["cycle=6m"], "needs.ttl", "5m"),
    (["preempt.normal=[0, 0, 0]"], "preempt.normal", [0, 0, 0]),
    (["preempt.saturated=[0, 0, 0]"], "preempt.saturated", [0, 0, 0]),
    (["preempt.saturation=0"], "preempt.saturation", 0),
    (["preempt.grace=[[9, 31], [0, 30]]"], "preempt.grace", [[9, "31s"], [0, "30s"]]),
    (["release.hold_max=9m"], "release.hold_max", "9m"),
    (["release.hold.spot=2h"], "release.hold_max", "1h"),
    (["timeouts.creating=14m"], "timeouts.creating", "14m"),
    (["assign.max_wait=16m"], "timeouts.creating", "15m"),
    (["shortfalls.max=0"], "shortfalls.max", 0),
    (["shortfalls.tier1=0"], "shortfalls.tier1", 0),
    (["shortfalls.tier1=-5"], "shortfalls.tier1", -5),
    (["rebalance.drain_percent=0"], "rebalance.drain_percent", 0),
    (["recovery.percent=0"], "recovery.percent", 0),
    (["lists.full=9s"], "lists.full", "9s"),
    (["reconcile=6m"], "lists.full", "5m"),
    (["rebalance.deadline=31s"], "rebalance.deadline", "31s"),
    (["rebalance.every=19s"], "rebalance.deadline", "20s"),
    (["rebalance.max_moves=0"], "rebalance.max_moves", 0),
    *[([f"goals.{goal}=0"], f"goals.{goal}", 0) for goal in Goal],
]


@pytest.mark.parametrize(("overrides", "path", "value"), ODD, ids=lambda each: str(each))
def test_what_is_odd_is_told_with_its_value_in_a_line(overrides, path, value):
    assert odd(*overrides) == [(path, value)]
    [told] = oddities(with_overrides(Settings(), overrides))
    assert told.message.endswith(".")
    assert told.message.isprintable()


@pytest.mark.parametrize(
    "override",
    [
        "needs.ttl=10s",
        "preempt.normal=[0, 0, 0.1]",
        "preempt.saturation=0.01",
        "preempt.grace=[[9, 30], [0, 30]]",
        "preempt.grace=[[0, 0]]",
        "release.hold_max=10m",
        "timeouts.creating=15m",
        "shortfalls.max=1",
        "shortfalls.tier1=1",
        "rebalance.drain_percent=1",
        "recovery.percent=1",
        "lists.full=10s",
        "rebalance.deadline=30s",
        "rebalance.max_moves=1",
        "goals.moves=1e-9",
    ],
)
def test_the_next_value_is_not_odd(override):
    assert odd(override) == []


def test_all_at_once():
    assert odd("goals.moves=0", "rebalance.max_moves=0", "release.hold_max=0s") == [
        ("release.hold_max", "0s"),
        ("release.hold_max", "0s"),
        ("rebalance.max_moves", 0),
        ("goals.moves", 0),
    ]
