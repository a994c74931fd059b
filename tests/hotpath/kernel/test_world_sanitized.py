"""Shards that live through many cycles, some with much news, under the sanitizers."""

from pathlib import Path

ROOT = Path(__file__).parents[3]

LIVES = """
import ctypes
import sys

from hotpath.kernel.binding import typed_shard
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from models.columns import fleet_of
from models.settings import Settings
from planner.bench.instances import Size, cold_shard
from planner.bench.laid_out import laid_out
from planner.bench.world import World, cycle_with

library, settings = typed_shard(ctypes.CDLL(sys.argv[1])), Settings()
for seed, (machines, clusters) in enumerate(((7, 3), (200, 2), (1_000, 5), (8_000, 20))):
    size = Size(machines, max(1, machines // 25), clusters)
    shard = laid_out(fleet_of(cold_shard(size, seed)), settings)
    for changes, is_settled in ((0.01, False), (0.5, True)):
        live = Live(shard.roll_up, Memory(), settings, library, is_empty=True)
        shard.enter(live)
        world = World(shard, changes)
        # Else the second cycle has a few orders, and gives back what the first needed for many.
        world.settle(live) if is_settled else live.cycle(0.0)
        for _ in range(6):
            cycle_with(live, world.news(live))
            live.size()
print("alive")
"""


def test_a_shard_stays_inside_its_arrays_whatever_happens(sanitized):
    done = sanitized(ROOT, LIVES)
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr[-2000:]
