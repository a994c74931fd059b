"""The decorators around one provider, all together."""

import asyncio
from dataclasses import replace

import pytest
from memory_provider import MemoryProvider, slots
from prometheus_client import CollectorRegistry, generate_latest
from scripted_provider import Scripted, away, read
from virtual_time import run

from models.errors import ProviderThrottled, ProviderUnavailable
from providers.breaker import Patience
from providers.bucket import Limit
from providers.budget import Budget, Limits
from providers.calls import AsProvider
from providers.fanout.bindings import SqliteBindings
from providers.metered import ProviderMetrics
from providers.orders import CreateOrder, DrainOrder, Fence
from providers.retrying import Retries
from providers.stack import StackSettings, Surroundings, fanned_out, stacked
from providers.timing import loop_time

FENCE = Fence("s0", 1, 1)
ONCE = StackSettings(
    Limits(calls=Limit(1.0, 2.0), wait_seconds=5.0),
    Retries(
        attempts=3, first_seconds=1.0, most_seconds=1.0, attempt_seconds=10.0, deadline_seconds=14.0
    ),
    Patience(failures=3, open_seconds=30.0),
    window_seconds=0.5,
)


def around(script=(), settings=ONCE, budget=None):
    registry = CollectorRegistry()
    scripted = Scripted(MemoryProvider(slots(9)), list(script))
    surroundings = Surroundings(ProviderMetrics(registry), chance=lambda: 1.0)
    return scripted, stacked(AsProvider(scripted), surroundings, settings, budget), registry


def orders(*names):
    return [CreateOrder(name) for name in names]


def test_merged_calls_are_one_call_one_token_and_one_repeat():
    scripted, provider, registry = around([away()])

    async def work():
        return await asyncio.gather(
            *(provider.create(FENCE, orders(f"m{n}")) for n in range(4)),
        )

    answers = run(work())
    assert [ack.machine for acks in answers for ack in acks] == ["m0", "m1", "m2", "m3"]
    assert [(time, len(about)) for time, _, about in scripted.seen] == [(0.5, 4), (1.5, 4)]
    told = generate_latest(registry).decode()
    assert 'calls_total{call="Create",provider="scripted"} 2.0' in told


def test_an_open_circuit_spends_no_tokens_and_is_no_call_of_the_provider():
    scripted, provider, registry = around([away()] * 3)

    async def work():
        with pytest.raises(ProviderUnavailable):
            await provider.create(FENCE, orders("m0"))
        began = loop_time()
        for _ in range(5):
            with pytest.raises(ProviderThrottled, match="left alone"):
                await provider.create(FENCE, orders("m0"))
        assert loop_time() == began + 5 * ONCE.window_seconds
        await asyncio.sleep(30.0)
        await provider.create(FENCE, orders("m0"))

    run(work())
    assert scripted.calls == ["Create"] * 3 + ["Get", "Create"]
    told = generate_latest(registry).decode()
    assert 'kind="ProviderThrottled"' not in told
    assert 'errors_total{call="Create",kind="ProviderUnavailable",provider="scripted"} 3.0' in told


def test_each_attempt_takes_a_token_and_waits_for_it():
    settings = replace(ONCE, limits=Limits(calls=Limit(0.5, 1.0), wait_seconds=5.0))
    scripted, provider, _ = around([away()] * 2, settings)
    run(provider.create(FENCE, orders("m0")))
    assert [time for time, _, _ in scripted.seen] == [0.5, 2.5, 4.5]


def test_providers_may_share_a_budget():
    budget = Budget(Limits(calls=Limit(0.1, 1.0), wait_seconds=0.0))
    one, first, _ = around(budget=budget)
    two, second, _ = around(budget=budget)

    async def work():
        await first.create(FENCE, orders("m0"))
        with pytest.raises(ProviderThrottled):
            await second.create(FENCE, orders("m0"))

    run(work())
    assert (len(one.seen), len(two.seen)) == (1, 0)


def test_without_a_window_nothing_waits():
    scripted, provider, _ = around(settings=replace(ONCE, window_seconds=0.0))
    run(provider.create(FENCE, orders("m0")))
    assert scripted.seen[0][0] == 0.0


def test_an_attempt_that_is_shorter_than_its_waiting_is_refused():
    with pytest.raises(ValueError, match="wait_seconds is 30"):
        StackSettings(retries=Retries(attempt_seconds=30.0))


def test_a_region_is_metered_by_its_name_and_each_account_by_its_own():
    registry = CollectorRegistry()
    accounts = {
        name: AsProvider(Scripted(MemoryProvider(slots(3)), name=name)) for name in ("a", "b")
    }
    surroundings = Surroundings(ProviderMetrics(registry))
    region = fanned_out("region", accounts, SqliteBindings(":memory:"), surroundings, {"a": ONCE})

    async def work():
        assert len(await read(region.list())) == 6
        await region.create(FENCE, orders("a/m0", "a/m1"))
        await region.drain(FENCE, [DrainOrder("a/m2", 5)])

    run(work())
    assert region.name == "region"
    told = generate_latest(registry).decode()
    for name, calls in (("region", 1), ("a", 1), ("b", 1)):
        assert f'calls_total{{call="Create",provider="{name}"}} {calls}.0' in told
        assert f'lists_total{{outcome="full",provider="{name}"}} 1.0' in told
    assert 'listed_machines_total{provider="region"} 6.0' in told
