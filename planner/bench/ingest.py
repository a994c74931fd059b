"""One cluster's roll-up, as a live shard takes it in."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from models import labels
from models.fleet import Fleet
from models.need import Need
from models.requirement import Operator, Requirement
from planner.bench.instances import CLASSES_A_NEED
from planner.bench.laid_out import laid_out
from planner.bench.living import cold_fleet, is_compiled, sample_of
from planner.bench.run import Run
from planner.bench.sample import Sample, measure_each
from planner.bench.world import World


def ingest_samples(run: Run) -> Iterator[Sample]:
    """Measure a roll-up of one cluster: new counts only; then new penalties and requirements."""
    if not is_compiled(run):
        return
    shard = laid_out(cold_fleet(run), run.settings)
    live = shard.empty(run.settings)
    shard.enter(live)
    World(shard, run.changes).settle(live)
    chance = np.random.default_rng(0)
    asked = [_roll_up(shard.fleet, chance) for _ in range(run.repeat)]
    changes = len(asked[-1])
    for question, timing in (
        (
            "roll-up, counts",
            measure_each(live.count, [{n: need.count for n, need in of.items()} for of in asked]),
        ),
        ("roll-up, all new", measure_each(live.ask, asked)),
    ):
        yield sample_of(question, shard, live, timing[0], changes=changes)


def _roll_up(fleet: Fleet, chance: np.random.Generator) -> dict[int, Need]:
    """Give all needs of a cluster, by row, with other counts, penalties and requirements."""
    rows = np.flatnonzero(fleet.need_cluster == chance.integers(len(fleet.clusters)))
    return {n: _other(fleet, fleet.needs[n], chance) for n in rows.tolist()}


def _other(fleet: Fleet, need: Need, chance: np.random.Generator) -> Need:
    names = [kind.instance_type for kind in fleet.classes]
    types = chance.choice(names, min(CLASSES_A_NEED, len(names)), replace=False).tolist()
    return replace(
        need,
        count=need.count + int(chance.integers(10)),
        requirements=(Requirement(labels.INSTANCE_TYPE, Operator.IN, tuple(sorted(types))),),
        interruption_penalty=float(chance.uniform(0, 1000)),
        reclamation_penalty=float(chance.uniform(0, 1000)),
    )
