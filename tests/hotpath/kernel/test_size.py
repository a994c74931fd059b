"""What a shard takes up: a few dozen bytes a machine, and no more than what its needs touch."""

from dataclasses import replace

import numpy as np
import pytest

from hotpath.kernel.library import library
from models import labels
from models.columns import fleet_of
from models.requirement import Operator, Requirement
from models.settings import Settings
from planner.bench.instances import Size, cold_shard
from planner.bench.laid_out import LaidOut, laid_out
from planner.bench.world import World, cycle_with

pytestmark = pytest.mark.skipif(library() is None, reason="no kernel was compiled")

SETTINGS = Settings()


def shard_of(machines: int) -> LaidOut:
    return laid_out(fleet_of(cold_shard(Size(machines, 200, 5))), SETTINGS)


def entered(shard: LaidOut):
    live = shard.empty(SETTINGS)
    shard.enter(live)
    return live


def test_columns_take_36_bytes_a_machine():
    shard = shard_of(10_000)
    assert entered(shard).size().columns == 36 * len(shard.cell)


def test_twice_the_machines_need_no_more_indices():
    small, large = (entered(shard_of(machines)).size() for machines in (20_000, 40_000))
    assert large.indices < 1.9 * small.indices


def test_cells_are_marked_only_for_needs_that_tell_them_apart():
    shard = shard_of(10_000)
    live = entered(shard)
    before = live.size().indices
    cells = len(shard.fleet.cells)
    live.ask(
        {
            n: replace(
                need,
                requirements=(Requirement(labels.ZONE, Operator.IN, (f"z{n % 3}",)),),
            )
            for n, need in enumerate(shard.fleet.needs[:3])
        }
    )
    grown = live.size().indices - before
    assert cells // 8 * 3 <= grown < cells * 4


def test_what_the_first_cycle_needed_is_given_back():
    shard = shard_of(40_000)
    live, world = entered(shard), World(shard, 0.01)
    world.settle(live)
    runs = np.count_nonzero(live.serving() >= 0)
    after_many = live.size().work
    cycle_with(live, world.news(live))
    assert live.size().work < after_many - 20 * runs
    assert len(live.answer().table) > 0


def test_a_shard_that_was_shrunk_decides_on():
    shard = shard_of(10_000)
    live, world = entered(shard), World(shard, 0.01)
    world.settle(live)
    for _ in range(3):
        cycle_with(live, world.news(live))
    everybody = np.arange(len(shard.cell))
    live.change(everybody, shard.reports)
    live.count({n: need.count for n, need in enumerate(shard.fleet.needs)})
    again, first = live.cycle(1_000.0).table, entered(shard).cycle(1_000.0).table
    assert len(again) == len(first) > 1_000
