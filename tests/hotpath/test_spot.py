"""Spot diversity: alike prices alternate, and no place holds more than its share."""

from dataclasses import replace

import pytest
from builders import fleet, machine, need

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory
from models import labels
from models.machine import CapacityType, State
from models.requirement import Operator, Requirement
from models.settings import Settings, with_overrides


def slots(builder, id, price, kind=CapacityType.SPOT, zone="z1", count=4):
    row = machine(f"{id}{{}}", State.SPECULATIVE, capacity=kind, price=price, zone=zone)
    return builder.machines(row, count)


def bought(builder, count, settings=None):
    built = builder.needs(need("a/n", count)).build()
    done = cycle(inventory_of(built, 0), Memory(), settings or Settings(), now=0.0)
    return "".join(sorted(built.machines.ids[action.machine][0] for action in done.actions))


@pytest.mark.parametrize(
    ("dear", "on_demand", "expected"),
    [
        (1.5, 2.0, "aabb"),
        # The other place must be cheaper than on-demand, or the share does not bind.
        (1.5, 1.5, "aaaa"),
        (1.5, 1.4, "aaaa"),
        (1.5, None, "aabb"),
    ],
)
def test_half_of_a_need_at_the_most_in_one_place(dear, on_demand, expected):
    builder = slots(slots(fleet(), "a", 1.0), "b", dear)
    if on_demand is not None:
        slots(builder, "o", on_demand, CapacityType.ON_DEMAND)
    assert bought(builder, 4) == expected


def test_the_share_rounds_up():
    assert bought(slots(slots(fleet(), "a", 1.0), "b", 1.5), 3) == "aab"


def test_the_share_is_the_decimal_that_was_written():
    """As a float, 0.14 x 50 is above 7."""
    settings = with_overrides(Settings(), ["assign.spot_max_share=0.14"])
    builder = slots(slots(fleet(), "a", 1.0, count=50), "b", 1.5, count=50)
    # Both take their share of 7; then no place is below its own, and the cheaper takes the rest.
    assert bought(builder, 50, settings) == 43 * "a" + 7 * "b"


def test_zones_of_one_class_are_places_of_their_own():
    assert bought(slots(slots(fleet(), "a", 1.0), "b", 1.0, zone="z2"), 4) == "aabb"


@pytest.mark.parametrize(("price", "expected"), [(1.05, "b"), (1.06, "a")])
def test_within_the_tolerance_where_the_cluster_has_fewest_goes_first(price, expected):
    held = machine(
        "h", State.CONFIGURED, cluster="a", capacity=CapacityType.SPOT, price=1.0, zone="z1"
    )
    builder = slots(slots(fleet(), "a", 1.0), "b", price)
    builder.machines(held, serves="old").needs(need("a/old", 1, 5))
    assert bought(builder, 1) == expected


def test_the_last_place_may_hold_more_than_its_share():
    assert bought(slots(fleet(), "a", 1.0), 4) == "aaaa"


def test_what_an_earlier_need_took_sets_no_ceiling():
    """On-demand at 1.20 is gone, so b at 1.50 is cheaper than what is left that is not spot."""
    builder = slots(slots(fleet(), "a", 1.0), "b", 1.5)
    slots(builder, "o", 1.2, CapacityType.ON_DEMAND, count=1)
    on_demand = Requirement(labels.CAPACITY_TYPE, Operator.IN, ("on-demand",))
    builder.needs(replace(need("a/first", 1, 5), requirements=(on_demand,)))
    assert bought(builder, 4) == "aabbo"


def test_places_fill_up_to_the_next_fuller_one_and_then_together():
    """The cluster has 3 in b's place and none in a's: a takes 3 first, then one each."""
    held = machine(
        "h{}", State.CONFIGURED, cluster="a", capacity=CapacityType.SPOT, price=1.01, zone="z1"
    )
    builder = slots(slots(fleet(), "a", 1.0, count=9), "b", 1.01, count=9)
    builder.machines(held, 3, serves="old").needs(need("a/old", 3, 9))
    settings = with_overrides(Settings(), ["assign.spot_max_share=1"])
    assert bought(builder, 9, settings) == "aaaaaabbb"


def test_idle_spot_machines_taken_meanwhile_count_in_their_place():
    """In z1 two idle ones of a's class come first, in turn with z2; after them b has the fewest."""
    builder = slots(slots(fleet(), "a", 1.0), "b", 1.04)
    slots(builder, "c", 1.0, zone="z2")
    idle = machine("i{}", State.IDLE, capacity=CapacityType.SPOT, price=1.0, zone="z1")
    built = builder.machines(idle, 2).needs(need("a/n", 8, spread=labels.ZONE)).build()
    done = cycle(inventory_of(built, 0), Memory(), Settings(), now=0.0)
    assert "".join(sorted(built.machines.ids[a.machine][0] for a in done.actions)) == "bbccccii"
