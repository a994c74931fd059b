"""A demand of 50,000 at once, through accounts that give a thousand, then two a second."""

import asyncio
from collections import deque

import pytest
from hypothesis import settings
from prometheus_client import CollectorRegistry
from virtual_time import run

from models.errors import ProviderThrottled
from models.failure import FailureClass
from models.machine import CapacityType, MachineRow, State
from models.rows import FleetRows
from providers.bucket import Limit
from providers.budget import Limits
from providers.fanout.bindings import SqliteBindings
from providers.metered import ProviderMetrics
from providers.orders import CreateOrder, Fence
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.knobs import Knobs
from providers.simulated.provider import SimulatedProvider
from providers.stack import StackSettings, Surroundings, fanned_out, stacked
from providers.timing import loop_time

SOAKING = settings.get_current_profile_name() == "soak"

DEMAND = 50_000
CALLS, BURST, MACHINES = 2.0, 1000.0, 2.0
LIMITS = Limits(calls=Limit(CALLS, CALLS), machines=Limit(MACHINES, BURST))
KNOBS = {"rate": {"calls": CALLS, "machines": MACHINES, "burst": BURST}}


def cloud(name, slots):
    row = MachineRow("m{}", CapacityType.ON_DEMAND, slots, is_pattern=True, provider=name)
    return SimulatedCloud.of(
        FleetRows(machines=[row]), name, Knobs.model_validate(KNOBS), 0, 0.0, records=True
    )


async def bought(region, ids, callers, batch_size):
    """Create all, as shards do that repeat what is throttled; give the seconds it took."""
    left, sequence = deque(ids), iter(range(1, 10**9))

    async def caller():
        while left:
            batch = [left.popleft() for _ in range(min(len(left), batch_size))]
            orders = [CreateOrder(name) for name in batch]
            try:
                acks = await region.create(Fence("s0", 1, next(sequence)), orders)
            except ProviderThrottled as error:
                left.extend(batch)
                await asyncio.sleep(error.retry_seconds)
                continue
            for ack in acks:
                if ack.failure is not None:
                    assert ack.failure.failure_class is FailureClass.THROTTLED
                    left.append(ack.machine)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(callers):
            tasks.create_task(caller())
    return loop_time()


async def spike(accounts, demand=DEMAND, callers=4):
    # As many as come in while a call waits for its turn, so that few come back.
    clouds = {f"a{n}": cloud(f"a{n}", demand // accounts) for n in range(accounts)}
    providers = {name: SimulatedProvider(each, loop_time) for name, each in clouds.items()}
    around = Surroundings(ProviderMetrics(CollectorRegistry()), chance=lambda: 0.5)
    if accounts == 1:
        region = stacked(providers["a0"], around, StackSettings(LIMITS))
    else:
        limits = dict.fromkeys(clouds, StackSettings(LIMITS))
        region = fanned_out("region", providers, SqliteBindings(":memory:"), around, limits)
    ids = [machine.id async for page in region.list() for machine in page.machines]
    assert len(ids) == demand
    seconds = await bought(region, ids, callers, 64 * accounts)
    return clouds, seconds


def check(clouds, seconds, demand=DEMAND):
    computed = (demand / len(clouds) - BURST) / MACHINES
    assert seconds == pytest.approx(computed, rel=0.05)
    for each in clouds.values():
        assert (each.world.state == State.IDLE).sum() == demand // len(clouds)
        begun = [call.machine for call in each.calls if not call.error]
        assert len(begun) == len(set(begun)) == demand // len(clouds)


def test_ten_accounts_take_the_computed_2000_seconds():
    clouds, seconds = run(spike(10))
    check(clouds, seconds)
    assert seconds == pytest.approx(2000, rel=0.05)


def test_one_account_takes_as_long_for_a_tenth_of_it():
    clouds, seconds = run(spike(1, DEMAND // 10))
    check(clouds, seconds, DEMAND // 10)


@pytest.mark.skipif(not SOAKING, reason="12 s; a tenth of it says the same of the rates.")
def test_one_account_takes_6_8_hours():
    clouds, seconds = run(spike(1))
    check(clouds, seconds)
    assert seconds / 3600 == pytest.approx(6.8, rel=0.05)
