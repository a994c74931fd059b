"""A storm: needs above all others are short at once, and nothing is free any more."""

from dataclasses import replace

import numpy as np

from models import labels
from models.fleet import Fleet, Shard
from models.machine import State
from models.need import Need
from models.requirement import Operator, Requirement
from planner.bench.instances import PRIORITIES, RACK

STORM_NEEDS = 100
STORM_CLUSTERS = 10
STORM_GANGS = 5
GANG_SIZE = 8
WANTED_SHARE = 0.01
"""Machines that the plain needs want together, of those that run."""


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
