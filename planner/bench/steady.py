"""Cycles of a shard that lives on while little changes."""

from collections.abc import Iterator

from planner.bench.laid_out import laid_out
from planner.bench.living import announce, cold_fleet, is_compiled, sample_of
from planner.bench.run import Run
from planner.bench.sample import Sample, measure_each
from planner.bench.world import World, cycle_with


def steady_samples(run: Run) -> Iterator[Sample]:
    """Measure cycles of a shard in which a hundredth of the machines changes in between.

    What was ordered is carried out, a thousandth of the machines is lost and comes back later, the
    others are reported as they are; a tenth of the clusters asks for up to 5 % more or less.
    """
    if not is_compiled(run):
        return
    shard = laid_out(cold_fleet(run), run.settings)
    live, world = shard.empty(run.settings), World(shard, run.changes)
    shard.enter(live)
    world.settle(live)
    announce(run, "steady cycle", shard.fleet, len(shard.cell))
    news = (world.news(live) for _ in range(run.repeat))
    timing, (new, orders) = measure_each(lambda new: (new, cycle_with(live, new)), news)
    changes, actions = len(new.places), len(orders.table)
    yield sample_of("steady cycle", shard, live, timing, changes=changes, actions=actions)
