"""One cluster's roll-up, as a live shard takes it in."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hotpath.kernel.live import Live
from models import labels
from models.fleet import Fleet
from models.need import Need
from models.requirement import Operator, Requirement
from planner.bench.instances import CLASSES_A_NEED
from planner.bench.laid_out import LaidOut
from planner.bench.living import is_compiled, sample_of, settled_shard
from planner.bench.run import Run
from planner.bench.sample import Sample, Timing, measure_each


def ingest_samples(run: Run) -> Iterator[Sample]:
    """Measure a roll-up of one cluster: new counts only, new penalties, new requirements."""
    if not is_compiled(run):
        return
    shard, live, _ = settled_shard(run)
    chance = np.random.default_rng(0)
    clusters = [_cluster(shard.fleet, chance) for _ in range(run.repeat)]
    counts = [{n: need.count + 1 for n, need in of.items()} for of in clusters]
    yield _told("counts", shard, live, measure_each(live.count, counts)[0])
    for what, other in (("penalties", _penalties), ("requirements", _requirements)):
        news = [{n: other(shard.fleet, need, chance) for n, need in of.items()} for of in clusters]
        yield _told(what, shard, live, measure_each(live.ask, news)[0])


def _told(what: str, shard: LaidOut, live: Live, timing: Timing) -> Sample:
    needs = len(shard.fleet.needs) // len(shard.fleet.clusters)
    return sample_of(f"roll-up, {what}", shard, live, timing, changes=needs)


def _cluster(fleet: Fleet, chance: np.random.Generator) -> dict[int, Need]:
    """Give all needs of a cluster, by row."""
    rows = np.flatnonzero(fleet.need_cluster == chance.integers(len(fleet.clusters)))
    return {n: fleet.needs[n] for n in rows.tolist()}


def _penalties(_: Fleet, need: Need, chance: np.random.Generator) -> Need:
    return replace(
        need,
        interruption_penalty=float(chance.uniform(0, 1000)),
        reclamation_penalty=float(chance.uniform(0, 1000)),
    )


def _requirements(fleet: Fleet, need: Need, chance: np.random.Generator) -> Need:
    names = [kind.instance_type for kind in fleet.classes]
    types = chance.choice(names, min(CLASSES_A_NEED, len(names)), replace=False).tolist()
    return replace(
        need,
        requirements=(Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(sorted(types))),),
    )
