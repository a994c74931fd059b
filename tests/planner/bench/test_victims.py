"""The instances on which victims are chosen: seeded, and as they are described."""

from collections import Counter

import numpy as np
import pytest

from models.settings import Settings
from models.standing import Standing
from planner.bench.instances import Size
from planner.bench.rebalancing.victims import (
    GANGS,
    OPEN_SPINES,
    RACK,
    SIZES,
    SPINE,
    VICTIMS,
    WORKLOADS,
    victims_samples,
    victims_standing,
)
from planner.bench.run import Run


def lower(standing: Standing) -> np.ndarray:
    """Mark the machines with lower work."""
    is_low = np.array([need.id.startswith("w") for need in standing.fleet.needs] + [False])
    return is_low[standing.serves]


@pytest.mark.parametrize("size", SIZES.values())
def test_only_lower_work_can_make_room(size: int):
    standing = victims_standing(size, 3)
    fleet = standing.fleet
    low = lower(standing)
    assert (len(fleet.machines), int(low.sum())) == (1980, VICTIMS)
    used = [need for need in fleet.needs if need.id.startswith("w")]
    assert len(used) == WORKLOADS
    assert sum(need.is_gang for need in used) == GANGS
    assert all(need.count for need in used if need.is_gang)
    spine = fleet.cell_domains(SPINE)[0][fleet.machines.cell]
    usable = np.bincount(spine[low | standing.free], minlength=11)
    assert np.count_nonzero(usable >= size) == OPEN_SPINES or size == max(SIZES.values())
    assert usable.max() >= size
    assert np.count_nonzero(standing.free) < size
    short = {
        fleet.needs[row].id: int(standing.short[row]) for row in np.flatnonzero(standing.short)
    }
    assert short == {"train": size}


def test_racks_hold_three_to_eight_workloads_and_gangs_stand_in_one_spine():
    standing = victims_standing(80, 0)
    fleet, low = standing.fleet, lower(standing)
    rack, spine = (fleet.cell_domains(key)[0][fleet.machines.cell] for key in (RACK, SPINE))
    of_rack = {r: set(standing.serves[low & (rack == r)].tolist()) for r in np.unique(rack)}
    counts = Counter(len(work) for r, work in of_rack.items() if spine[rack == r][0] < OPEN_SPINES)
    assert set(counts) <= set(range(3, 9))
    assert len(counts) >= 4
    for row, need in enumerate(fleet.needs):
        if need.is_gang and need.id != "train":
            assert len(np.unique(spine[standing.serves == row])) == 1


def test_the_same_seed_gives_the_same_fleet():
    first, again, other = (victims_standing(40, seed) for seed in (0, 0, 1))
    assert (first.serves == again.serves).all()
    assert (first.serves != other.serves).any()


def test_each_size_is_solved_judged_and_compared():
    said: list[str] = []
    run = Run(Size(), 1, 0.0, 1, Settings(), said.append)
    samples = list(victims_samples(run))
    assert [sample.question for sample in samples] == list(SIZES)
    assert said == [f"{name}: 1 seeds" for name in SIZES]
    for sample in samples:
        assert (sample.machines, sample.needs) == (1980, WORKLOADS + 2)
        assert sample.found["optimal"] == 1
        assert sample.found["greedy damage"] >= 1
