"""The instances on which shortages are explained: seeded, and as they are described."""

import numpy as np
import pytest

from models.settings import Settings
from planner.bench.instances import Size
from planner.bench.rebalancing import shortage
from planner.bench.rebalancing.shortage import KINDS, SIZES, instance, shortage_samples
from planner.bench.run import Run
from rebalancer.explain.scene import shards_of_needs


def test_the_lots_stand_for_as_many_machines_as_they_say():
    size = SIZES["small"]
    fleet, parcels, short = instance(size)
    assert abs(int(parcels.count.sum()) - size.machines) < len(fleet.cells)
    assert (parcels.count >= 0).all()
    held = parcels.holder >= 0
    # What serves a need is in the need's shard, and the need is not short.
    assert (shards_of_needs(fleet)[parcels.holder[held]] == parcels.shard[held]).all()
    assert not short[parcels.holder[held]].any()
    assert np.count_nonzero(short) == size.shards * size.needs // 2 + len(KINDS)


def test_every_kind_of_need_gets_its_changes(monkeypatch):
    monkeypatch.setattr(shortage, "SIZES", {"small": SIZES["small"]})
    run = Run(Size(1), 10, 0.0, 1, Settings(), lambda _: None)
    samples = [*shortage_samples(run)]
    assert [sample.question for sample in samples] == [
        f"shortage of a {kind} need, small" for kind in KINDS
    ]
    assert all(int(sample.found["changes"]) >= 3 for sample in samples)
    assert all("fewest-machines:1" in str(sample.found["kinds"]) for sample in samples)


def test_an_answer_that_counts_machines_twice_is_a_fault(monkeypatch):
    monkeypatch.setattr(shortage, "SIZES", {"small": SIZES["small"]})
    fleet, parcels, short = instance(SIZES["small"])
    too_few = np.minimum(short, 1)
    monkeypatch.setattr(shortage, "instance", lambda _: (fleet, parcels, too_few))
    run = Run(Size(1), 10, 0.0, 1, Settings(), lambda _: None)
    with pytest.raises(ValueError, match="machines are added where"):
        [*shortage_samples(run)]
