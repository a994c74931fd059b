"""What is asked of the hot path: each question makes its instance and measures it."""

from collections.abc import Iterator
from dataclasses import dataclass

from hotpath.attribution import keep
from hotpath.cycle import Cycle, cycle
from hotpath.inventory import inventory_of
from hotpath.kernels import fill_some
from hotpath.memory import Memory
from models.columns import fleet_of
from models.fleet import Fleet, Ints
from models.settings import Settings
from planner.bench.crowded import Crowd, attribution_clusters
from planner.bench.instances import MOST_CLASSES, Size, cold_shard
from planner.bench.listing import reconcile_samples
from planner.bench.run import Run
from planner.bench.sample import Sample, measure
from planner.bench.settled import settled
from planner.bench.storm import with_storm

MACHINES_A_CLASS = 25
"""At least: a shard of few machines has fewer classes, so that racks still fill."""


def size_of(machines: int, clusters: int) -> Size:
    """Give a shard of so many machines."""
    classes = max(1, min(MOST_CLASSES, machines // MACHINES_A_CLASS))
    return Size(machines=machines, classes=classes, clusters=clusters)


def cycle_samples(run: Run) -> Iterator[Sample]:
    """Measure a shard's first cycle, and the next one, in which there is nothing to do.

    Each from the fleet's columns on: cutting out the shard and all that a cycle counts is part of
    it, reading a file is not.
    """
    cold = _cold(run)
    sample, first = _measured(run, cold)
    yield sample
    after = settled(cold.fleet, first)
    yield _measured(run, _Moment("warm cycle", after, first.memory, run.settings.cycle))[0]


def storm_samples(run: Run) -> Iterator[Sample]:
    """Measure a cycle in which 100 needs must take what they want from others."""
    cold = _cold(run)
    first = cold.decide(run.settings)
    shard = with_storm(settled(cold.fleet, first))
    yield _measured(run, _Moment("storm", shard, first.memory, run.settings.cycle))[0]


@dataclass(frozen=True, eq=False, slots=True)
class _Moment:
    """What a cycle is measured on."""

    question: str
    fleet: Fleet
    memory: Memory
    now: float

    def decide(self, settings: Settings) -> Cycle:
        return cycle(inventory_of(self.fleet, 0), self.memory, settings, self.now)


def _cold(run: Run) -> _Moment:
    run.say(f"making a shard of {run.size.machines} machines")
    return _Moment("cold cycle", fleet_of(cold_shard(run.size)), Memory(), 0.0)


def _measured(run: Run, moment: _Moment) -> tuple[Sample, Cycle]:
    machines, needs = len(moment.fleet.machines), len(moment.fleet.needs)
    run.say(f"{moment.question}: {machines} machines, {needs} needs, {run.repeat} times")
    timing, done = measure(lambda: moment.decide(run.settings), run.repeat)
    return Sample(moment.question, machines, needs, len(done.actions), timing), done


def attribution_samples(run: Run) -> Iterator[Sample]:
    """Measure who serves what in clusters of overlapping needs, from counts to counts."""
    crowds = attribution_clusters(run.size)
    machines = sum(int(crowd.groups.size.sum()) for crowd in crowds)
    needs = sum(len(crowd.wanted) for crowd in crowds)
    run.say(f"attribution: {machines} machines, {needs} needs, {run.repeat} times")
    timing, _ = measure(lambda: [attributed(crowd) for crowd in crowds], run.repeat)
    yield Sample("attribution", machines, needs, None, timing)


def attributed(crowd: Crowd) -> Ints:
    """Give how many machines of each group serve each need, ``(n, G)``."""
    flow = keep(crowd.groups, crowd.wanted)
    fill_some(crowd.groups, flow, crowd.wanted, 0, len(crowd.wanted))
    return flow


QUESTIONS = {
    "cycle": cycle_samples,
    "storm": storm_samples,
    "attribution": attribution_samples,
    "reconcile": reconcile_samples,
}
"""By the word that asks for it."""
