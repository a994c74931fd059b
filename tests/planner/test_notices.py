"""Notices across shards: a machine with one counts for nobody, and is replaced from elsewhere."""

import pytest
from builders import fleet, machine, need, row_of

from hotpath.cycle import decide
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from hotpath.standing import standing_of
from models.machine import NOBODY, CapacityType, State
from models.settings import Settings
from planner.planning import plan_fleet

LEAVING = {"state": State.CONFIGURED, "cluster": "a", "capacity": CapacityType.SPOT, "risk": 0.1}


def two_shards(asked):
    builder = fleet().shard("s0", "a").shard("s1", "b").needs(asked)
    builder.machines(machine("old", reclaim_at=60.0, **LEAVING), serves="a/n")
    builder.machines(
        machine("new", shard="s1", capacity=CapacityType.ON_DEMAND, risk=0.1, zone="z2")
    )
    return builder.build()


def test_a_machine_with_a_notice_serves_nobody_in_a_standing():
    world = two_shards(need("a/n"))
    decided = [decide(inventory_of(world, s), Memory(), Settings(), 0.0) for s in (0, 1)]
    standing = standing_of(world, decided)
    assert standing.serves[row_of(world, "old")] == NOBODY
    assert standing.have.tolist() == [0]
    assert standing.short.tolist() == [1]


@pytest.mark.parametrize(
    "asked",
    [
        need("a/n"),
        need("a/n", 1, spread="topology.kubernetes.io/zone"),
        need("a/n", 2, floor=1),
        need("a/n", 1, same="topology.kubernetes.io/zone"),
    ],
    ids=["plain", "spread", "floor", "gang"],
)
def test_its_replacement_comes_from_another_shard(asked):
    world = two_shards(asked)
    planned = plan_fleet(world, Settings())
    assert planned.complaint == ""
    assert [move.machines for move in planned.plan.moves] == [(row_of(world, "new"),)]
