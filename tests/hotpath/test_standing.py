"""What a standing expects of each shard: the forecast of release, in whole machines."""

import numpy as np
import pytest

from hotpath.cycle import decide
from hotpath.inventory import inventory_of
from hotpath.memory import Memory, Rate
from hotpath.standing import standing_of
from models.builder import FleetBuilder
from models.fleet import Fleet
from models.machine import CapacityType, MachineRow, State
from models.settings import Settings


def two_classes() -> Fleet:
    builder = FleetBuilder().shard("s0", "a").shard("s1", "b")
    for shard in ("s0", "s1"):
        for kind in ("t", "u"):
            row = MachineRow(
                f"{shard}{kind}", CapacityType.ON_DEMAND, instance_type=kind, shard=shard,
                state=State.IDLE, host_ref=f"h{shard}{kind}", price_per_hour=1.0,
            )  # fmt: skip
            builder.machines(row)
    return builder.build()


@pytest.mark.parametrize(
    ("per_minute", "now", "expected"),
    [(1.0, 0.0, 5), (0.999, 0.0, 4), (0.19, 0.0, 0), (0.4, 0.0, 2), (1.0, 900.0, 2)],
)
def test_it_is_what_release_expects_over_its_window(per_minute, now, expected):
    """Five minutes of it; after the half-life of 15 minutes half of that, rounded down."""
    fleet = two_classes()
    rates = {fleet.class_key(1): Rate(per_minute, 0.0)}
    memories = (Memory(), Memory(rates=rates))
    decided = [
        decide(inventory_of(fleet, shard), memory, Settings(), now)
        for shard, memory in enumerate(memories)
    ]
    assert standing_of(fleet, decided).forecast.tolist() == [[0, 0], [0, expected]]


def test_shards_that_were_not_asked_expect_nothing():
    fleet = two_classes()
    rates = {fleet.class_key(k): Rate(9.0, 0.0) for k in range(2)}
    decided = [decide(inventory_of(fleet, 1), Memory(rates=rates), Settings(), 0.0)]
    assert np.array_equal(standing_of(fleet, decided).forecast, [[0, 0], [45, 45]])
