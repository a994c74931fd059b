"""A storm: needs above all others are short at once, and nothing is free any more."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from models import labels
from models.fleet import Fleet, Shard
from models.machine import State
from models.need import Need
from models.requirement import Operator, Requirement
from planner.bench.instances import PRIORITIES, RACK
from planner.bench.laid_out import laid_out
from planner.bench.living import announce, cold_fleet, is_compiled, sample_of
from planner.bench.run import Run
from planner.bench.sample import Sample, measure_each
from planner.bench.settled import settled

STORM_NEEDS = 100
STORM_CLUSTERS = 10
STORM_GANGS = 5
GANG_SIZE = 8
WANTED_SHARE = 0.01
"""Machines that the plain needs want together, of those that run."""


def storm_samples(run: Run) -> Iterator[Sample]:
    """Measure the first cycle in which 100 needs must take what they want from others."""
    if not is_compiled(run):
        return
    fleet = cold_fleet(run)
    first = cycle(inventory_of(fleet, 0), Memory(), run.settings, 0.0)
    memory = first.memory
    shard = laid_out(with_storm(settled(fleet, first)), run.settings)
    del fleet, first
    announce(run, "storm", shard.fleet, len(shard.cell))

    def lives() -> Iterator[Live]:
        for _ in range(run.repeat):
            live = shard.empty(run.settings, memory)
            shard.enter(live, memory)
            yield live

    timing, (live, orders) = measure_each(lambda live: (live, live.cycle(10.0)), lives())
    yield sample_of("storm", shard, live, timing, actions=len(orders.table))


def with_storm(fleet: Fleet) -> Fleet:
    """Take what is free out of a settled shard, and let 100 needs want what the others have.

    They can use any machine and stand above everybody, so that each machine that runs is a
    candidate victim; five are gangs in a rack. Their clusters are new: one that held machines
    would only deal them anew among its own needs.
    """
    machines = fleet.machines.take(np.flatnonzero(fleet.machines.state == State.CONFIGURED))
    share = int(WANTED_SHARE * len(machines)) // (STORM_NEEDS - STORM_GANGS)
    # "storm" sorts after the clusters of the instance, and what is there keeps its row number.
    new = tuple(f"storm{number}" for number in range(STORM_CLUSTERS))
    a_cluster = STORM_NEEDS // STORM_CLUSTERS
    clusters = (*fleet.clusters, *new)
    nothing_said = np.zeros(len(new), dtype=np.bool_)
    of_need = np.repeat(np.arange(len(fleet.clusters), len(clusters), dtype=np.int32), a_cluster)
    return replace(
        fleet,
        machines=machines,
        clusters=clusters,
        shards=(Shard(fleet.shards[0].name, tuple(range(len(clusters)))),),
        silent=np.append(fleet.silent, nothing_said),
        shadow=np.append(fleet.shadow, nothing_said),
        needs=(
            *fleet.needs,
            *(_need(number, new[number // a_cluster], share) for number in range(STORM_NEEDS)),
        ),
        need_cluster=np.append(fleet.need_cluster, of_need),
    )


def _need(number: int, cluster: str, share: int) -> Need:
    is_gang = number % (STORM_NEEDS // STORM_GANGS) == 0
    return Need(
        id=f"n{number:02d}",
        cluster=cluster,
        name=f"{cluster}/n{number:02d}",
        priority=max(PRIORITIES) + 1,
        count=GANG_SIZE if is_gang else max(1, share),
        requirements=(Requirement(labels.INSTANCE_TYPE, Operator.EXISTS),),
        resources={"cpu": 1000},
        same=RACK if is_gang else None,
        interruption_penalty=10.0,
    )
