"""The instances are seeded, lawful, and are what they say they are."""

import numpy as np
import pytest

from hotpath.cycle import Cycle, cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models.audit import CycleAnswer, audit_cycle, audit_fleet
from models.columns import fleet_of
from models.fleet import Fleet
from models.machine import State
from models.settings import Settings
from planner.bench.instances import PRIORITIES, Size, cold_shard
from planner.bench.questions import size_of
from planner.bench.settled import settled
from planner.bench.storm import GANG_SIZE, STORM_GANGS, STORM_NEEDS, with_storm

SMALL = Size(machines=600, classes=24, clusters=5)


def decided(fleet: Fleet, memory: Memory, now: float) -> Cycle:
    """Decide, and let the judge read the answer."""
    done = cycle(inventory_of(fleet, 0), memory, Settings(), now)
    answer = CycleAnswer(done.shard, done.actions, done.shortfalls, done.serves)
    assert audit_cycle(fleet, answer, Settings()) == ()
    return done


@pytest.fixture(scope="module")
def cold() -> Fleet:
    return fleet_of(cold_shard(SMALL))


@pytest.fixture(scope="module")
def first(cold) -> Cycle:
    return decided(cold, Memory(), 0.0)


@pytest.fixture(scope="module")
def storm(cold, first) -> Fleet:
    return with_storm(settled(cold, first))


def test_the_same_seed_gives_the_same_shard():
    assert cold_shard(SMALL) == cold_shard(SMALL)
    assert cold_shard(SMALL, seed=1).needs != cold_shard(SMALL).needs


def test_nobody_holds_anything_in_a_cold_shard(cold):
    assert audit_fleet(cold) == ()
    assert len(cold.machines) == 600
    assert (cold.machines.serves == -1).all()
    assert set(cold.machines.state.tolist()) == {State.IDLE, State.SPECULATIVE}


@pytest.mark.parametrize("machines", [1, 24, 25, 9_999, 10_000, 500_000])
def test_a_shard_has_nearly_the_size_asked_for(machines):
    rows = cold_shard(size_of(machines, 1)).machines
    assert len(rows) <= 400
    assert 0.95 * machines <= sum(row.count for row in rows) <= machines


def test_everybody_is_served_in_a_settled_shard(cold, first):
    after = settled(cold, first)
    assert audit_fleet(after) == ()
    runs = after.machines.state == State.CONFIGURED
    assert np.count_nonzero(runs) == len(first.actions) == sum(need.count for need in after.needs)
    done = decided(after, first.memory, 10.0)
    assert (done.actions, done.shortfalls) == ((), ())


def test_in_a_storm_each_machine_is_a_candidate_victim(storm):
    assert audit_fleet(storm) == ()
    machines = storm.machines
    assert set(machines.state.tolist()) == {State.CONFIGURED}
    serving = [storm.needs[need] for need in machines.serves.tolist()]
    assert max(need.priority for need in serving) <= max(PRIORITIES)
    wanting = [need for need in storm.needs if need.cluster.startswith("storm")]
    assert len(wanting) == STORM_NEEDS
    assert {need.priority for need in wanting} == {max(PRIORITIES) + 1}
    assert [need.count for need in wanting if need.is_gang] == [GANG_SIZE] * STORM_GANGS


def test_a_storm_takes_all_it_wants(storm, first):
    done = decided(storm, first.memory, 10.0)
    wanted = sum(need.count for need in storm.needs if need.cluster.startswith("storm"))
    assert [action.verb for action in done.actions] == ["drain"] * wanted
    assert {storm.needs[action.need].cluster[:5] for action in done.actions} == {"storm"}
