"""The port over a simulated cloud: a clock, errors, the record of calls, bare metal."""

import asyncio

import pytest

from models.errors import ProviderThrottled, Unsupported
from models.machine import CapacityType, Operation, State
from providers.machine import Refusal
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder
from providers.simulated.cloud import Call
from providers.simulated.provider import SimulatedProvider
from tests.providers.simulated.clouds import FENCE, cloud, configure, create, hosts, slots, state


def test_a_machine_s_whole_life_on_a_clock_that_is_handed_in():
    now = [0.0]
    world = cloud(slots(1), create=10, configure=20, drain=30, delete=40)
    provider = SimulatedProvider(world, lambda: now[0])

    async def run():
        found = []
        for call, order, seconds in (
            (provider.create, CreateOrder("s0"), 10),
            (provider.configure, ConfigureOrder("s0", "c"), 20),
            (provider.drain, DrainOrder("s0", 600), 30),
            (provider.delete, DeleteOrder("s0"), 40),
        ):
            [ack] = await call(FENCE, [order])
            now[0] += seconds
            [machine] = (await provider.get(["s0"])).machines
            found.append((ack.snapshot.state, machine.state, machine.state_since))
        pages = [page async for page in provider.list()]
        return found, pages

    found, pages = asyncio.run(run())
    assert found == [
        (State.CREATING, State.IDLE, 10.0),
        (State.CONFIGURING, State.CONFIGURED, 30.0),
        (State.DRAINING, State.IDLE, 60.0),
        (State.DELETING, State.SPECULATIVE, 100.0),
    ]
    assert [each.id for page in pages for each in page.machines] == ["s0"]
    assert provider.name == "p"
    assert world.calls == [
        Call(0.0, "create", "s0", ""),
        Call(10.0, "configure", "s0", ""),
        Call(30.0, "drain", "s0", ""),
        Call(60.0, "delete", "s0", ""),
    ]


def test_other_calls_are_heard_between_the_pages_of_a_list_and_time_goes_by():
    now = [0.0]
    world = cloud([row for n in range(2500) for row in slots(1, f"m{n:04}-")], create=1)
    provider = SimulatedProvider(world, lambda: now[0])

    async def run():
        states = {}
        async for page in provider.list():
            if not states:
                await provider.create(FENCE, [CreateOrder("m2400-0")])
                now[0] = 5.0
            states |= {each.id: each.state for each in page.machines}
        return states

    assert asyncio.run(run())["m2400-0"] is State.IDLE


def test_a_cloud_that_keeps_no_record_has_none():
    world = cloud(slots(1))
    world.records = False
    create(world, ["s0"])
    assert world.calls == []


def test_time_never_goes_back():
    world = cloud(slots(2), create=10)
    create(world, ["s0"], 100.0)
    create(world, ["s1"], 50.0)
    assert world.get(["s1"], 0.0).machines[0].state_since == 100.0
    assert world.calls[-1].time == 100.0


def test_bare_metal_takes_hours_and_has_no_delete():
    metal = CapacityType.BARE_METAL
    world = cloud([*slots(30, capacity_type=metal)], kind="bare-metal")
    names = [f"s{n}" for n in range(30)]
    create(world, names)
    ready = [each.estimated_ready for each in world.get(names, 0.0).machines]
    assert set(ready) == {4 * 3600.0}
    world.advance(24 * 3600.0)
    hours = [each.state_since / 3600 for each in world.get(names, 24 * 3600.0).machines]
    assert all(2 <= each <= 6 for each in hours)
    assert len(set(hours)) == 30
    with pytest.raises(Unsupported):
        world.order(Operation.DELETE, FENCE, [DeleteOrder("s0")], 24 * 3600.0)
    assert state(world, "s0", 24 * 3600.0) == "IDLE"
    assert world.calls[-1] == Call(24 * 3600.0, "delete", "s0", "UNIMPLEMENTED")


def test_a_fixed_machine_of_a_cloud_is_not_deleted():
    world = cloud([*hosts(1, capacity_type=CapacityType.RESERVED), *hosts(1, "e")])
    acks = world.order(Operation.DELETE, FENCE, [DeleteOrder("h0"), DeleteOrder("e0")], 0.0)
    assert acks[0].failure.refusal is Refusal.UNSUPPORTED
    assert acks[1].failure is None


def test_a_call_that_is_throttled_touches_nothing():
    world = cloud(hosts(1), rate=1)
    configure(world, "h0")
    with pytest.raises(ProviderThrottled):
        world.order(Operation.DRAIN, FENCE, [DrainOrder("h0", 0)], 0.0)
    assert state(world, "h0", 0.0) == "CONFIGURED"
