"""What ``bench ownership`` measures: its instances, and what is found in them."""

import numpy as np
import pytest

from models.settings import Settings
from planner.bench.instances import Size
from planner.bench.rebalancing import ownership
from planner.bench.rebalancing.ownership import SIZES, OwnershipSize, ownership_samples, racks
from planner.bench.run import Run


def test_racks_are_those_of_the_size_and_the_same_for_a_seed():
    size = OwnershipSize(racks=1_003, shards=5, classes=6, sizes=2)
    found, again, other = racks(size), racks(size), racks(size, seed=1)
    assert len(found.group) == 1_003
    assert np.array_equal(found.group, again.group)
    assert not np.array_equal(found.group, other.group)
    assert found.group.max() < len(found.kind) == len(found.machines) == 12
    assert found.kind.tolist() == sorted([*range(6)] * 2)
    assert set(found.machines.tolist()) == {40, 38}


def test_the_site_stands_in_the_middle_and_has_its_machines():
    found = racks(OwnershipSize(racks=2_000, shards=5, classes=3))
    site = np.flatnonzero(found.site())
    assert site.tolist() == list(range(site[0], site[0] + 250))
    assert 900 < site[0] < 1_100


def test_the_sizes_that_are_measured():
    assert (SIZES["fleet"].racks, SIZES["fleet"].shards) == (2_500_000, 200)


@pytest.fixture(scope="module")
def samples():
    said: list[str] = []
    run = Run(Size(), 20, 0.0, 3, Settings(), said.append)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ownership, "SIZES", {"tiny": OwnershipSize(1_000, 4, 5, 3)})
        return list(ownership_samples(run)), said


def test_every_question_is_asked_and_shares_are_alike(samples):
    rows, said = samples
    assert [row.question for row in rows] == ["first, tiny", "new shard, tiny", "site closes, tiny"]
    assert len(said) == 3
    for row in rows:
        assert len(row.timing.seconds) == 2
        assert row.found["moved"] > 0
        spreads = [row.found[f"{what} spread"] for what in ("group", "class", "total")]
        assert max(spreads) <= 1
    # Nobody held anything; then the new one gets a fifth, and no other exchanges anything.
    assert rows[0].found["moved"] in range(740, 751)
    assert rows[1].found["moved"] in (200, 201)
