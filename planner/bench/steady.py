"""Cycles of a shard that lives on while little changes."""

from collections.abc import Iterator

from planner.bench.living import announce, is_compiled, sample_of, settled_shard
from planner.bench.run import Run
from planner.bench.sample import Sample, measure_each
from planner.bench.world import cycle_with


def steady_samples(run: Run) -> Iterator[Sample]:
    """Measure cycles of a shard in which a hundredth of the machines changes in between.

    What was ordered is carried out, a thousandth of the machines is lost and comes back later, the
    others are reported as they are; a tenth of the clusters asks for up to 5 % more or less.
    """
    if not is_compiled(run):
        return
    shard, live, world = settled_shard(run)
    announce(run, "steady cycle", shard.fleet, len(shard.cell))
    news = (world.news(live) for _ in range(run.repeat))
    timing, (new, orders) = measure_each(lambda new: (new, cycle_with(live, new)), news)
    changes, actions = len(new.places), len(orders.table)
    yield sample_of("steady cycle", shard, live, timing, changes=changes, actions=actions)
