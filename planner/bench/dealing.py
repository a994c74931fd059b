"""Who serves what, in clusters whose needs can use much the same machines."""

from collections.abc import Iterator

import numpy as np

from hotpath.kernel.live import Live
from planner.bench.living import announce, is_compiled, sample_of, settled_shard
from planner.bench.run import Run
from planner.bench.sample import Sample, measure_each
from planner.bench.world import COUNT_CHANGE, SECONDS_A_CYCLE, World


def attribution_samples(run: Run) -> Iterator[Sample]:
    """Measure dealing what all clusters hold to their needs, down to the names of machines.

    Before each run every need of every cluster comes to ask for up to 5 % more or fewer machines,
    so that each cluster has needs that are short and needs that have too many.
    """
    if not is_compiled(run):
        return
    shard, live, world = settled_shard(run)
    announce(run, "attribution", shard.fleet, len(shard.cell))
    timing, _ = measure_each(live.open, _changed(live, world, run.repeat))
    yield sample_of("attribution", shard, live, timing)


def _changed(live: Live, world: World, repeat: int) -> Iterator[float]:
    chance = np.random.default_rng(0)
    for number in range(repeat):
        swing = chance.uniform(1 - COUNT_CHANGE, 1 + COUNT_CHANGE, len(world.asked))
        live.count(dict(enumerate(np.rint(world.asked * swing).astype(int).tolist())))
        yield (number + 2) * SECONDS_A_CYCLE
