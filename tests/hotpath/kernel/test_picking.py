"""Phase 1 in the compiled shard: several machines at once from one lot."""

import pytest
from builders import fleet, machine, need

from hotpath.inventory import inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from models.machine import CapacityType, State
from models.settings import Settings

pytestmark = pytest.mark.skipif(library() is None, reason="no C compiler was there at build time")


def test_what_is_bought_at_once_is_of_one_zone_though_another_stands_between():
    def slot(id, zone):
        return machine(id, State.SPECULATIVE, capacity=CapacityType.ON_DEMAND, zone=zone, price=1.0)

    builder = (
        fleet().machines(slot("m0", "z1")).machines(slot("m1", "z2")).machines(slot("m2", "z1"))
    )
    built = builder.needs(need("a/n", 2)).build()
    live = Live(inventory_of(built, 0), Memory(), Settings(), library())
    orders = live.cycle(0.0).actions(built, inventory_of(built, 0).rows)
    assert [built.machines.ids[order.machine] for order in orders] == ["m0", "m2"]
