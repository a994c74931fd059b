"""Clusters whose needs can use much the same machines: what attribution is measured on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotpath.attribution import Groups, keep
from hotpath.kernels import fill_some
from models.fleet import Ints
from planner.bench.instances import CLASSES_A_NEED, Size
from planner.bench.run import Run
from planner.bench.sample import Sample, measure


@dataclass(frozen=True, eq=False, slots=True)
class Crowd:
    """One cluster's machines in groups, and how many each need asks for, ``(n,)``."""

    groups: Groups
    wanted: Ints


def attribution_samples(run: Run) -> Iterator[Sample]:
    """Measure who serves what in clusters of overlapping needs, from counts to counts."""
    crowds = attribution_clusters(run.size)
    machines = sum(int(crowd.groups.size.sum()) for crowd in crowds)
    needs = sum(len(crowd.wanted) for crowd in crowds)
    run.say(f"attribution: {machines} machines, {needs} needs, {run.repeat} times")
    timing, _ = measure(lambda: [attributed(crowd) for crowd in crowds], run.repeat)
    yield Sample("attribution", machines, needs, timing)


def attributed(crowd: Crowd) -> Ints:
    """Give how many machines of each group serve each need, ``(n, G)``."""
    flow = keep(crowd.groups, crowd.wanted)
    fill_some(crowd.groups, flow, crowd.wanted, 0, len(crowd.wanted))
    return flow


def attribution_clusters(size: Size, seed: int = 0) -> list[Crowd]:
    """Give clusters that hold 80 % of the shard's machines, in 80 classes each.

    Each need can use every second class, drawn by lot. Each machine serves some need that can use
    it; since then every need has come to ask for up to 5 % more or fewer.
    """
    chance = np.random.default_rng(seed)
    held = max(1, int(0.8 * size.machines) // size.clusters)
    return [_crowd(size.needs_a_cluster, held, chance) for _ in range(size.clusters)]


def _crowd(needs: int, held: int, chance: np.random.Generator) -> Crowd:
    can_use = chance.random((needs, CLASSES_A_NEED)) < 0.5
    # Every class is of use to somebody, or nobody could hold its machines.
    can_use[chance.integers(needs, size=CLASSES_A_NEED), np.arange(CLASSES_A_NEED)] = True
    of_class = chance.integers(CLASSES_A_NEED, size=held)
    label = (chance.random((needs, held)) * can_use[:, of_class]).argmax(axis=0)
    counts = np.zeros((CLASSES_A_NEED, needs), dtype=np.int64)
    np.add.at(counts, (of_class, label), 1)
    class_index, served = np.nonzero(counts)
    asked = counts.sum(axis=0) * chance.uniform(0.95, 1.05, size=needs)
    return Crowd(
        groups=Groups(
            size=counts[class_index, served],
            fits=can_use[:, class_index],
            moves=(served[None, :] != np.arange(needs)[:, None]).astype(np.int64),
        ),
        wanted=asked.astype(np.int64),
    )
