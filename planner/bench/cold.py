"""The first cycle of a shard in which nobody holds anything: in columns, and with objects."""

from collections.abc import Iterator

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.kernel.live import Live
from hotpath.kernel.orders import Orders
from hotpath.memory import Memory
from planner.bench.laid_out import LaidOut, laid_out
from planner.bench.living import announce, cold_fleet, is_compiled, sample_of
from planner.bench.run import Run
from planner.bench.sample import Sample, measure, measure_each

_WITH_OBJECTS = 10
"""A cycle with objects is run a tenth as often: each takes seconds."""


def cycle_samples(run: Run) -> Iterator[Sample]:
    """Measure a shard's first cycle, when nobody holds anything: in columns, then with objects.

    In columns, a shard that knows the roll-ups takes in all machines and decides. With objects the
    shard is cut out of a fleet, and each order is an object with its reason, as ``plan`` has it.
    """
    fleet = cold_fleet(run)
    if is_compiled(run):
        shard = laid_out(fleet, run.settings)
        announce(run, "cold cycle", shard.fleet, len(shard.cell))
        givens = (shard.empty(run.settings) for _ in range(run.repeat))
        timing, (live, orders) = measure_each(lambda live: _first_cycle(shard, live), givens)
        yield sample_of("cold cycle", shard, live, timing, actions=len(orders.table))
    few = max(1, run.repeat // _WITH_OBJECTS)
    machines, needs = len(fleet.machines), len(fleet.needs)
    run.say(f"cold cycle with objects: {machines} machines, {needs} needs, {few} times")
    timing, done = measure(lambda: cycle(inventory_of(fleet, 0), Memory(), run.settings, 0.0), few)
    yield Sample("with objects", machines, needs, timing, actions=len(done.actions))


def _first_cycle(shard: LaidOut, live: Live) -> tuple[Live, Orders]:
    shard.enter(live)
    return live, live.cycle(0.0)
