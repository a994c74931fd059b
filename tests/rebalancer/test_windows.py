"""The blast radius: few drains a window, gangs in as few windows in a row as can be."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import RACK, World

from rebalancer.limits import DEFAULT_GOALS, Limits
from rebalancer.snapshot import snapshot_of
from rebalancer.solve import fallback
from rebalancer.transfer_rules import TransferRules
from rebalancer.windows import Windows, allowances

ORDERS = st.lists(st.tuples(st.booleans(), st.integers(1, 9)), max_size=8)


@given(st.integers(1, 4), ORDERS)
def test_no_window_takes_more_than_allowed(allowance: int, orders: list[tuple[bool, int]]):
    windows, taken = Windows(allowance), Counter[int]()
    for together, machines in orders:
        parts = windows.together(machines) if together else windows.spread(machines)
        assert sum(count for _, count in parts) == machines
        assert all(count > 0 for _, count in parts)
        numbers = [window for window, _ in parts]
        if together:
            assert numbers == list(range(numbers[0], numbers[0] + -(-machines // allowance)))
        for window, count in parts:
            taken[window] += count
    assert max(taken.values(), default=0) <= allowance


def test_a_later_order_fills_the_room_that_is_left():
    windows = Windows(3)
    assert windows.together(2) == [(0, 2)]
    assert windows.together(2) == [(1, 2)]
    assert windows.spread(3) == [(0, 1), (1, 1), (2, 1)]
    assert windows.together(4) == [(3, 3), (4, 1)]


@pytest.mark.parametrize(
    ("hosts", "allowed"), [(1, 1), (19, 1), (20, 1), (39, 1), (40, 2), (1000, 50)]
)
def test_five_percent_and_at_least_one(hosts: int, allowed: int):
    world = World().shard("s0", "a").shard("s1", "b").machines("i", hosts, shard="s1")
    assert allowances(snapshot_of(world.standing())).tolist() == [1, allowed]


def drains(percent: int, count: int, **given: object) -> list[tuple[str, int, int]]:
    world = World().shard("s0", "a").shard("s1", "b").running("v", 20, "b/y", shard="s1", rack="r1")
    world.need("a/x", count, 900_000, **given).need("b/y", 20, 0)
    snapshot = snapshot_of(world.standing(), TransferRules(drain_percent=percent))
    plan = fallback(snapshot, DEFAULT_GOALS, Limits(None))
    return [(move.unit, move.window, len(move.machines)) for move in plan.moves]


def test_a_gang_beyond_a_window_is_one_unit_over_windows_in_a_row():
    assert drains(10, 5, same=RACK) == [("u1", 0, 2), ("u1", 1, 2), ("u1", 2, 1)]


def test_machines_of_no_gang_are_units_of_their_own():
    assert drains(10, 5) == [("u1", 0, 2), ("u2", 1, 2), ("u3", 2, 1)]


def test_later_windows_expire_later():
    world = World().shard("s0", "a").shard("s1", "b").running("v", 20, "b/y", shard="s1")
    world.need("a/x", 3, 900_000).need("b/y", 20, 0)
    snapshot = snapshot_of(world.standing(), TransferRules(window_seconds=60))
    plan = fallback(snapshot, DEFAULT_GOALS, Limits(None))
    assert [move.expires_seconds for move in plan.moves] == [60, 120, 180]


def test_a_gang_s_machines_are_reserved_until_the_last_of_them_can_have_come():
    world = World().shard("s0", "a").shard("s1", "b")
    world.running("v", 20, "b/y", shard="s1", rack="r1").machines("i", shard="s1", rack="r1")
    world.need("a/x", 4, 900_000, same=RACK).need("b/y", 20, 0)
    snapshot = snapshot_of(world.standing(), TransferRules(window_seconds=60))
    plan = fallback(snapshot, DEFAULT_GOALS, Limits(None))
    assert [(move.window, move.expires_seconds) for move in plan.moves] == [
        (0, 180),
        (0, 180),
        (1, 180),
        (2, 180),
    ]
