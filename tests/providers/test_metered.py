"""What Prometheus is told, as it reads it."""

import asyncio

import pytest
from memory_provider import MemoryProvider, slots
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families
from scripted_provider import Scripted, Takes, away, pages_of, read
from virtual_time import run

from models.errors import ProviderRefused, ProviderThrottled, ProviderUnavailable, Unsupported
from models.failure import FailureClass
from providers.calls import AsProvider
from providers.columns import columns_of
from providers.listing import ListEnd, Page
from providers.machine import Failure
from providers.metered import Metered, ProviderMetrics
from providers.orders import CreateOrder, DrainOrder, Fence

FENCE = Fence("s0", 1, 1)


def around(script=()):
    registry = CollectorRegistry()
    scripted = Scripted(MemoryProvider(slots(3)), list(script))
    return scripted, AsProvider(Metered(scripted, ProviderMetrics(registry))), registry


def series(registry, name):
    """Give the samples of a series: its labels but for the provider, and its value."""
    return {
        tuple(value for key, value in sample.labels.items() if key != "provider"): sample.value
        for family in text_string_to_metric_families(generate_latest(registry).decode())
        for sample in family.samples
        if sample.name == f"bigfleet_provider_{name}"
    }


def test_counts_calls_and_orders_by_class_and_kind():
    scripted, provider, registry = around()
    scripted.provider.refuses["m1"] = Failure(FailureClass.QUOTA, "no more")

    async def work():
        await provider.create(FENCE, [CreateOrder("m0"), CreateOrder("m1"), CreateOrder("x")])
        await provider.create(FENCE, [CreateOrder("m0")])
        await provider.drain(FENCE, [DrainOrder("m2", 5)])
        await provider.get(["m0"])

    run(work())
    assert series(registry, "calls_total") == {("Create",): 2, ("Drain",): 1, ("Get",): 1}
    assert series(registry, "orders_total") == {
        ("Create", "", ""): 2,
        ("Create", "QUOTA", ""): 1,
        ("Create", "INVALID", "UNKNOWN_MACHINE"): 1,
        ("Drain", "INVALID", "WRONG_STATE"): 1,
    }
    assert series(registry, "errors_total") == {}


@pytest.mark.parametrize(
    "error",
    [
        away(),
        ProviderThrottled("p", "later", 3.0),
        Unsupported("p", "no"),
        ProviderRefused("p", ""),
    ],
)
def test_counts_errors_by_kind_and_raises_them_as_they_are(error):
    _, provider, registry = around([error, error, error])

    async def work():
        for call in (provider.create(FENCE, []), provider.get([]), read(provider.list())):
            with pytest.raises(type(error)) as caught:
                await call
            assert caught.value is error

    run(work())
    kind = type(error).__name__
    assert series(registry, "errors_total") == {
        ("Create", kind): 1,
        ("Get", kind): 1,
        ("List", kind): 1,
    }
    assert series(registry, "calls_total") == {("Create",): 1, ("Get",): 1, ("List",): 1}
    assert series(registry, "lists_total") == {("partial",): 1}


def test_measures_how_long_calls_took_those_that_failed_or_were_given_up_too():
    _, provider, registry = around([Takes(2.0), Takes(3.0, away()), Takes(1e6)])

    async def work():
        await provider.create(FENCE, [])
        with pytest.raises(ProviderUnavailable):
            await provider.create(FENCE, [])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(4.0):
                await provider.create(FENCE, [])

    run(work())
    assert series(registry, "call_seconds_sum") == {("Create",): 9.0}
    assert series(registry, "call_seconds_count") == {("Create",): 3}


def test_of_a_list_the_time_that_it_lets_wait_counts_not_the_reader_s():
    _, provider, registry = around([Takes(2.0)])

    async def work():
        async for _ in provider.list():
            await asyncio.sleep(50.0)

    run(work())
    assert series(registry, "call_seconds_sum") == {("List",): 2.0}


def test_counts_machines_in_rows_and_columns_and_how_lists_end():
    scripted, provider, registry = around()
    machines = tuple(scripted.provider.machines.values())

    async def lists():
        async def columnar(cursor="", *, shard="", columnar=False):
            yield Page(machines[:1], columns_of(machines[1:]))

        await read(provider.list())
        await read(provider.list("0.0:0"))
        scripted.list = columnar
        assert (await pages_of(provider.list()))[1] is None
        pages = provider.list()
        await anext(pages)
        await pages.aclose()

    run(lists())
    assert series(registry, "listed_machines_total") == {(): 9}
    assert series(registry, "lists_total") == {
        ("full",): 1, ("changes",): 1, ("partial",): 1, ("left",): 1,
    }  # fmt: skip


def test_a_list_that_breaks_after_its_end_was_whole_is_still_partial():
    scripted, provider, registry = around()

    async def broken(cursor="", *, shard="", columnar=False):
        yield Page(end=ListEnd("1", True))
        raise away()

    scripted.list = broken
    assert run(pages_of(provider.list()))[1] is not None
    assert series(registry, "lists_total") == {("partial",): 1}


def test_providers_of_one_process_share_the_series():
    registry = CollectorRegistry()
    metrics = ProviderMetrics(registry)
    for name in ("a", "b"):
        run(Metered(Scripted(MemoryProvider({}), name=name), metrics).get([]))
    text = generate_latest(registry).decode()
    assert 'bigfleet_provider_calls_total{call="Get",provider="a"} 1.0' in text
    assert 'bigfleet_provider_calls_total{call="Get",provider="b"} 1.0' in text
