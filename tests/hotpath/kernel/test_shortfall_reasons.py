"""Reasons that hang on one machine: what is free at the end of a walk, and of which cell."""

from dataclasses import replace
from math import nan

import pytest
from builders import fleet, machine, need

from hotpath.inventory import inventory_of
from hotpath.kernel import cycle as compiled
from hotpath.kernel.library import library
from hotpath.memory import Memory
from hotpath.plain import walk
from models import labels
from models.machine import State
from models.need import TIER_1_PRIORITY
from models.settings import Settings
from models.shortfall import Reason

FORBIDDEN, EXHAUSTED = Reason.SPREAD_UNSATISFIABLE, Reason.CAPACITY_EXHAUSTED
SPECULATIVE, CONFIGURED, FAILED = State.SPECULATIVE, State.CONFIGURED, State.FAILED


@pytest.fixture(params=["numpy", "compiled"])
def reason(request):
    """Give how to find the reason of the shortfall of need a/n."""
    kernel = library()
    if request.param == "compiled" and kernel is None:
        pytest.skip("no kernel was compiled")

    def find(built):
        inventory = inventory_of(built, 0)
        given = (inventory, Memory(), Settings(), 0.0)
        done = (
            compiled.cycle(*given, kernel) if request.param == "compiled" else walk.decide(*given)
        )
        names = {built.needs[short.need].name: short.reason for short in done.shortfalls}
        return names["n"]

    return find


def lopsided(priority=9, **fields):
    """Give a fleet whose need n has a machine in z1 and could have one more only in z2."""
    wants = need("a/n", 2, priority, spread=labels.ZONE, **fields)
    builder = fleet().needs(wants)
    builder.machines(machine("m1", CONFIGURED, cluster="a", zone="z1"), serves="a/n")
    return builder.machines(machine("m2", FAILED, zone="z2"))


def test_an_idle_machine_where_the_skew_forbids_one_more(reason):
    assert reason(lopsided().machines(machine("i")).build()) == FORBIDDEN
    assert reason(lopsided().build()) == EXHAUSTED


@pytest.mark.parametrize(("priority", "expected"), [(8, FORBIDDEN), (9, EXHAUSTED)])
def test_a_reservation_that_lapses_is_free_for_a_higher_need(reason, priority, expected):
    young = replace(machine("i"), state_since=-1.0)
    built = lopsided().machines(young, serves="b/lo").needs(need("b/lo", 0, priority)).build()
    assert reason(built) == expected


@pytest.mark.parametrize(("priority", "expected"), [(8, FORBIDDEN), (9, EXHAUSTED)])
def test_what_is_reserved_in_shadow_mode_is_free_for_a_higher_need(reason, priority, expected):
    reserved = lopsided().machines(machine("i"), serves="b/lo")
    assert reason(reserved.needs(need("b/lo", 1, priority)).shadow("b").build()) == expected


@pytest.mark.parametrize(
    ("priority", "expected"), [(TIER_1_PRIORITY - 1, FORBIDDEN), (TIER_1_PRIORITY, EXHAUSTED)]
)
def test_tier_1_does_not_count_on_slow_machines(reason, priority, expected):
    slow = machine("s", SPECULATIVE, ready_seconds=3_600.0)
    assert reason(lopsided(priority).machines(slow).build()) == expected


@pytest.mark.parametrize(("floor", "expected"), [(1, FORBIDDEN), (2, EXHAUSTED)])
def test_the_floor_keeps_a_need_from_risky_machines_first(reason, floor, expected):
    assert reason(lopsided(floor=floor).machines(machine("i", risk=0.1)).build()) == expected


def test_machines_of_another_shard_match_nothing_here(reason):
    """Those of z2 are of a class that is here too, in z1."""
    builder = fleet().shard("s0", "a").shard("s1").needs(need("a/n", zones=["z2"]))
    builder.machines(machine("here")).machines(machine("there", zone="z2", shard="s1"))
    assert reason(builder.build()) is Reason.NO_MATCHING_MACHINE


@pytest.mark.parametrize(
    ("zone", "expected"), [("z2", Reason.PRICE_UNKNOWN), ("z1", Reason.CAPACITY_EXHAUSTED)]
)
def test_only_a_machine_that_matches_is_missed_for_its_price(reason, zone, expected):
    builder = fleet().needs(need("a/n", 1, zones=[zone]))
    for place in ("z1", "z2"):
        builder.machines(machine(f"f-{place}", FAILED, zone=place, price=nan))
    builder.machines(machine("s", SPECULATIVE, zone="z2", price=nan))
    assert reason(builder.build()) == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(2, EXHAUSTED), (3, Reason.TOPOLOGY_UNSATISFIABLE)]
)
def test_a_gang_that_has_machines_must_find_room_where_they_are(reason, count, expected):
    builder = fleet().needs(need("a/n", count, same=labels.ZONE))
    builder.machines(machine("m", CONFIGURED, cluster="a", zone="z1"), serves="a/n")
    builder.machines(machine("f1", FAILED, zone="z1"))
    for index in range(3):
        builder.machines(machine(f"g{index}", FAILED, zone="z2"))
    assert reason(builder.build()) == expected
