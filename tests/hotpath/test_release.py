"""What idles is deleted after its hold, and held on while the forecast asks for it."""

from dataclasses import replace
from math import log

import pytest
from builders import fleet, machine, need

from hotpath.cycle import cycle
from hotpath.inventory import inventory_of
from hotpath.memory import Memory, Rate
from hotpath.plain.release import forecast
from models.action import Verb
from models.machine import CapacityType
from models.settings import Settings

SETTINGS = Settings()
ONE = log(2) / 15
"""What one assignment of priority 0 adds: assignments a minute at a half-life of 15 min."""


def idle(id, minutes, kind=CapacityType.ON_DEMAND, **fields):
    return replace(machine(id, capacity=kind, price=1.0, **fields), state_since=-60.0 * minutes)


def deleted(built, memory=None, now=0.0):
    done = cycle(inventory_of(built, 0), memory or Memory(), SETTINGS, now)
    assert {action.verb for action in done.actions} <= {Verb.DELETE}
    return {built.machines.ids[action.machine] for action in done.actions}


@pytest.mark.parametrize(
    ("kind", "minutes", "goes"),
    [
        (CapacityType.SPOT, 4.99, False),
        (CapacityType.SPOT, 5, True),
        (CapacityType.ON_DEMAND, 9.99, False),
        (CapacityType.ON_DEMAND, 10, True),
        (CapacityType.RESERVED, 10_000, False),
        (CapacityType.BARE_METAL, 10_000, False),
    ],
)
def test_hold(kind, minutes, goes):
    assert deleted(fleet().machines(idle("m", minutes, kind)).build()) == ({"m"} if goes else set())


def test_pinned_and_reserved_machines_stay():
    asleep = need("a/n", 1)
    built = (
        fleet()
        .machines(idle("pinned", 99, pinned=True))
        .machines(idle("reserved", 99), serves="n")
        .needs(asleep)
        .silence()
        .build()
    )
    assert deleted(built) == set()


def test_a_reservation_that_lapsed_keeps_a_machine_for_the_delay():
    """Idle for long, but beyond the count only since 10 s: a need that flaps loses nothing."""

    def built(count):
        reserved = fleet().machines(idle("m", 99), serves="n").needs(need("a/n", count))
        return reserved.shadow("a").build()

    first = cycle(inventory_of(built(1), 0), Memory(), SETTINGS, 0.0)
    second = cycle(inventory_of(built(0), 0), first.memory, SETTINGS, 10.0)
    third = cycle(inventory_of(built(0), 0), second.memory, SETTINGS, 69.0)
    assert first.actions == second.actions == third.actions == ()
    assert deleted(built(0), third.memory, now=70.0) == {"m"}


def forecast_of(machines_expected, built, at=0.0):
    """Remember the rate at which so many machines are expected within the window of 5 min."""
    return Memory(rates={built.class_key(0): Rate(machines_expected / 5, at)})


def test_the_kth_idle_machine_is_held_while_the_forecast_is_at_least_k():
    builder = fleet()
    for minutes in (11, 12, 13, 14):
        builder.machines(idle(f"m{minutes}", minutes))
    built = builder.build()
    for expected, gone in [
        (0.0, {"m11", "m12", "m13", "m14"}),
        (0.9, {"m11", "m12", "m13", "m14"}),
        (1.1, {"m12", "m13", "m14"}),
        (2.5, {"m13", "m14"}),
        (4.1, set()),
    ]:
        assert deleted(built, forecast_of(expected, built)) == gone


def test_young_idle_machines_count_in_k():
    built = fleet().machines(idle("young", 1)).machines(idle("old", 11)).build()
    assert deleted(built, forecast_of(1.1, built)) == {"old"}
    assert deleted(built, forecast_of(2.1, built)) == set()


def test_nothing_is_held_beyond_an_hour():
    built = fleet().machines(idle("m59", 59)).machines(idle("m60", 60)).build()
    assert deleted(built, forecast_of(9.0, built)) == {"m60"}


def test_a_forecast_halves_every_quarter_of_an_hour():
    memory = Memory(rates={"k": Rate(0.4, at=100.0)})
    assert forecast(memory, "k", SETTINGS.release, 100.0) == pytest.approx(2.0)
    assert forecast(memory, "k", SETTINGS.release, 1000.0) == pytest.approx(1.0)
    assert forecast(memory, "other", SETTINGS.release, 100.0) == 0.0


@pytest.mark.parametrize(
    ("priority", "weight"),
    [(-5, 1.0), (0, 1.0), (500_000, 1.5), (1_000_000, 2.0), (2**31 - 1, 2.0)],
)
def test_an_assignment_weighs_1_to_2_by_priority(priority, weight):
    built = fleet().machines(idle("m", 1)).needs(need("a/n", 1, priority)).build()
    done = cycle(inventory_of(built, 0), Memory(), SETTINGS, 0.0)
    (rate,) = done.memory.rates.values()
    assert rate.per_minute == pytest.approx(weight * ONE)


def test_a_steady_stream_settles_at_its_own_rate():
    """One assignment a minute for six hours: the rate is one a minute, but for the steps."""
    built = fleet().machines(idle("m", 1)).needs(need("a/n", 1)).build()
    memory = Memory()
    for minute in range(360):
        memory = cycle(inventory_of(built, 0), memory, SETTINGS, 60.0 * minute).memory
    (rate,) = memory.rates.values()
    assert rate.per_minute == pytest.approx(1.0, rel=0.03)


def test_configuring_what_is_reserved_is_no_assignment_of_its_own():
    """A Create and the Configure that follows it, however often it is tried, count once."""
    fresh = fleet().machines(idle("m", 0)).needs(need("a/n")).build()
    reserved = fleet().machines(idle("m", 0), serves="n").needs(need("a/n")).build()
    first = cycle(inventory_of(fresh, 0), Memory(), SETTINGS, 0.0)
    second = cycle(inventory_of(reserved, 0), first.memory, SETTINGS, 0.0)
    assert [action.verb for action in second.actions] == [Verb.CONFIGURE]
    assert second.memory.rates == first.memory.rates != {}
