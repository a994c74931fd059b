"""What a live shard is told between cycles: lawful, seeded, and as much as was asked for."""

import numpy as np
import pytest

from hotpath.kernel.library import library
from hotpath.reports import Reports
from models.columns import fleet_of
from models.machine import State
from models.settings import Settings
from planner.bench.instances import Size, cold_shard
from planner.bench.laid_out import LaidOut, laid_out
from planner.bench.many import shards
from planner.bench.world import World, cycle_with

pytestmark = pytest.mark.skipif(library() is None, reason="no kernel was compiled")

SETTINGS = Settings()
SIZE = Size(machines=5_000, classes=40, clusters=10)
CHANGES = 0.02


def settled(shard: LaidOut, seed: int = 0):
    live, world = shard.empty(SETTINGS), World(shard, CHANGES, seed)
    shard.enter(live)
    world.settle(live)
    return live, world


@pytest.fixture(scope="module")
def cold() -> LaidOut:
    return laid_out(fleet_of(cold_shard(SIZE)), SETTINGS)


def in_state(reports: Reports, state: State) -> int:
    return int(np.count_nonzero(reports.state == state))


def test_in_a_settled_shard_everybody_has_what_it_asks_for(cold):
    live, _ = settled(cold)
    answer = live.answer()
    assert (len(answer.table), len(answer.shorts)) == (0, 0)
    assert np.count_nonzero(live.serving() >= 0) > 3_000


def test_the_cold_shard_stays_as_it_was(cold):
    settled(cold)
    assert (cold.reports.serves == -1).all()


def test_a_share_is_reported_and_a_tenth_of_it_lost(cold):
    live, world = settled(cold)
    for number in range(4):
        news = world.news(live)
        assert 100 <= len(news.places) <= 100 + 3 * 10 + len(live.answer().table)
        assert (np.diff(news.places) > 0).all()
        assert in_state(news.reports, State.FAILED) == 10
        # What was lost before comes back.
        assert np.isin(news.reports.state, (State.IDLE, State.SPECULATIVE)).any() == (number > 0)
        assert len(news.counts) == 15
        cycle_with(live, news)


def test_what_is_lost_is_bought_again(cold):
    live, world = settled(cold)
    told = [len(cycle_with(live, world.news(live)).table) for _ in range(8)]
    assert min(told) > 0
    short = int(live.answer().shorts["count"].sum())
    assert short < 0.02 * np.count_nonzero(live.serving() >= 0)


def test_the_same_seed_tells_the_same(cold):
    news = [settled(cold, seed) for seed in (0, 0, 1)]
    first, again, other = (world.news(live) for live, world in news)
    assert first.places.tolist() == again.places.tolist() != other.places.tolist()
    assert first.counts == again.counts


def test_shards_of_a_fleet_are_what_they_would_be_alone_and_differ():
    made = list(shards(SIZE, 3, SETTINGS))
    for seed, shard in enumerate(made):
        alone = laid_out(fleet_of(cold_shard(SIZE, seed)), SETTINGS)
        assert shard.fleet.classes == alone.fleet.classes
        assert shard.fleet.needs == alone.fleet.needs
        assert (shard.fleet.need_cluster == alone.fleet.need_cluster).all()
        assert (shard.names.ids == alone.names.ids).all()
        for name in Reports.__slots__:
            assert (getattr(shard.reports, name) == getattr(alone.reports, name)).all(), name
    held = [settled(shard)[0].serving().tolist() for shard in made]
    assert held[0] != held[1] != held[2]
    assert not np.shares_memory(made[0].names.ids, made[1].names.ids)
