"""Nobody spends more than the account has, everybody gets a turn, and nothing is lost."""

import asyncio

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from memory_provider import MemoryProvider, slots
from scripted_provider import Scripted, Takes, away, read
from virtual_time import run

from models.errors import ProviderThrottled, ProviderUnavailable
from models.failure import FailureClass
from providers.bucket import Limit
from providers.budget import Budget, Budgeted, Limits
from providers.calls import AsProvider
from providers.orders import CreateOrder, DeleteOrder, DrainOrder, Fence
from providers.timing import loop_time

FENCE = Fence("s0", 1, 1)


def orders(count, start=0):
    return [CreateOrder(f"m{start + n}") for n in range(count)]


def around(limits, script=()):
    scripted = Scripted(MemoryProvider(slots(100)), list(script))
    return scripted, AsProvider(Budgeted(scripted, Budget(limits)))


def sizes(scripted):
    return [(time, len(about)) for time, call, about in scripted.seen if call == "Create"]


def late(acks):
    return [ack.machine for ack in acks if ack.failure is not None]


async def after(seconds, work):
    await asyncio.sleep(seconds)
    return await work


def test_a_batch_waits_until_all_of_it_fits():
    scripted, provider = around(Limits(machines=Limit(2.0, 10.0)))

    async def two():
        assert late(await provider.create(FENCE, orders(10))) == []
        assert late(await provider.create(FENCE, orders(6, 10))) == []

    run(two())
    assert sizes(scripted) == [(0.0, 10), (3.0, 6)]


def test_what_does_not_fit_in_time_is_throttled_one_by_one():
    scripted, provider = around(Limits(machines=Limit(2.0, 10.0), wait_seconds=2.0))

    async def two():
        await provider.create(FENCE, orders(10))
        return await provider.create(FENCE, orders(6, 10))

    acks = run(two())
    assert sizes(scripted) == [(0.0, 10), (2.0, 4)]
    assert [ack.machine for ack in acks] == [f"m{n}" for n in range(10, 16)]
    assert late(acks) == ["m14", "m15"]
    assert {ack.failure.failure_class for ack in acks[4:]} == {FailureClass.THROTTLED}
    assert scripted.provider.bought.keys() == {f"m{n}" for n in range(14)}


def test_a_batch_larger_than_the_burst_goes_as_soon_as_the_bucket_is_full():
    scripted, provider = around(Limits(machines=Limit(2.0, 10.0)))

    async def two():
        await provider.create(FENCE, orders(5))
        return await provider.create(FENCE, orders(25, 5))

    assert len(late(run(two()))) == 15
    assert sizes(scripted) == [(0.0, 5), (2.5, 10)]


def test_none_in_time_is_refused_with_the_wait_and_nothing_done():
    scripted, provider = around(Limits(machines=Limit(0.01, 1.0), wait_seconds=20.0))

    async def two():
        await provider.create(FENCE, orders(1))
        with pytest.raises(ProviderThrottled) as caught:
            await provider.create(FENCE, orders(1, 1))
        return caught.value.retry_seconds, loop_time()

    assert run(two()) == (pytest.approx(80.0), 20.0)
    assert len(scripted.seen) == 1


def test_those_who_wait_are_served_in_the_order_in_which_they_came():
    scripted, provider = around(Limits(machines=Limit(1.0, 4.0), wait_seconds=100.0))

    async def three():
        await provider.create(FENCE, orders(4))
        await asyncio.gather(
            after(0.1, provider.create(FENCE, orders(4, 10))),
            after(0.2, provider.create(FENCE, orders(1, 20))),
            after(0.3, provider.create(FENCE, orders(2, 30))),
        )

    run(three())
    firsts = [about[0].machine for _, _, about in scripted.seen]
    assert firsts == ["m0", "m10", "m20", "m30"]
    assert [time for time, _ in sizes(scripted)] == [0.0, 4.0, 5.0, 7.0]


def test_one_who_gives_up_leaves_its_turn_and_its_tokens_to_the_next():
    scripted, provider = around(Limits(machines=Limit(1.0, 4.0), wait_seconds=100.0))

    async def three():
        await provider.create(FENCE, orders(4))
        first = asyncio.ensure_future(provider.create(FENCE, orders(4, 10)))
        second = asyncio.ensure_future(after(0.1, provider.create(FENCE, orders(2, 20))))
        await asyncio.sleep(1.0)
        first.cancel()
        await second

    run(three())
    assert sizes(scripted) == [(0.0, 4), (2.0, 2)]


def test_machines_are_given_back_where_no_call_is_left():
    limits = Limits(calls=Limit(0.01, 1.0), machines=Limit(0.01, 9.0), wait_seconds=5.0)
    scripted = Scripted(MemoryProvider(slots(100)))
    budget = Budget(limits)
    provider = AsProvider(Budgeted(scripted, budget))

    async def two():
        await provider.create(FENCE, orders(1))
        with pytest.raises(ProviderThrottled, match="calls"):
            await provider.create(FENCE, orders(5, 1))
        task = asyncio.ensure_future(provider.create(FENCE, orders(5, 1)))
        await asyncio.sleep(1.0)
        task.cancel()
        await asyncio.wait([task])

    run(two())
    [create, *_] = budget.machines.values()
    assert create.bucket.tokens == pytest.approx(8.0, abs=0.2)
    assert len(scripted.seen) == 1


def test_what_was_sent_is_spent_whatever_came_of_it():
    _, provider = around(Limits(machines=Limit(1.0, 5.0), wait_seconds=0.0), [away()])

    async def two():
        with pytest.raises(ProviderUnavailable):
            await provider.create(FENCE, orders(4))
        return late(await provider.create(FENCE, orders(4, 4)))

    assert run(two()) == ["m5", "m6", "m7"]


def test_a_create_that_waits_for_machines_holds_up_no_drain_or_delete():
    scripted, provider = around(Limits(Limit(1.0, 5.0), Limit(0.1, 1.0), wait_seconds=60.0))

    async def three():
        await provider.create(FENCE, orders(1))
        waits = asyncio.ensure_future(provider.create(FENCE, orders(1, 1)))
        await asyncio.sleep(0.5)
        await provider.drain(FENCE, [DrainOrder("m0", 5)])
        await provider.delete(FENCE, [DeleteOrder("m0")])
        assert loop_time() == 0.5
        await waits

    run(three())
    assert scripted.calls == ["Create", "Drain", "Delete", "Create"]


def test_reads_have_a_bucket_of_their_own():
    scripted, provider = around(Limits(Limit(0.001, 1.0), reads=Limit(1.0, 1.0), wait_seconds=3.0))

    async def four():
        await provider.create(FENCE, orders(1))
        await provider.get(["m0"])
        await read(provider.list())
        return await asyncio.gather(
            *(provider.get([f"m{n}"]) for n in range(4)), return_exceptions=True
        )

    last = run(four())[-1]
    assert isinstance(last, ProviderThrottled)
    assert [time for time, call, _ in scripted.seen if call != "page"] == [0, 0, 1, 2, 3, 4]


def test_providers_of_one_account_share_its_budget():
    budget = Budget(Limits(machines=Limit(1.0, 4.0), wait_seconds=0.0))
    scripted = [Scripted(MemoryProvider(slots(9))) for _ in range(2)]
    first, second = (AsProvider(Budgeted(each, budget)) for each in scripted)

    async def both():
        assert late(await first.create(FENCE, orders(3))) == []
        return late(await second.create(FENCE, orders(3)))

    assert run(both()) == ["m1", "m2"]


def test_no_orders_cost_nothing():
    scripted, provider = around(Limits(calls=Limit(1.0, 1.0)))
    assert run(provider.create(FENCE, [])) == ()
    assert scripted.seen == []


CALLERS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.3, 2.0, 5.0]), st.integers(1, 8), st.sampled_from([0.5, 99])),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(max_examples=60)
@given(CALLERS, st.sampled_from([1.0, 2.0]), st.sampled_from([0.0, 4.0]), st.booleans())
def test_in_no_stretch_of_time_more_goes_out_than_the_limits_say(callers, rate, wait, is_slow):
    limits = Limits(Limit(1.0, 2.0), Limit(rate, 5.0), wait_seconds=wait)
    scripted, provider = around(limits, [Takes(1.5)] * 3 if is_slow else [])

    async def caller(start, count, patience, first):
        await asyncio.sleep(start)
        try:
            async with asyncio.timeout(patience):
                acks = await provider.create(FENCE, orders(count, first))
        except (ProviderThrottled, TimeoutError):
            return 0
        assert [ack.machine for ack in acks] == [each.machine for each in orders(count, first)]
        assert loop_time() - start <= wait + 1.5 + 1e-6
        return count - len(late(acks))

    async def all_of_them():
        return await asyncio.gather(*(caller(*one, 10 * n) for n, one in enumerate(callers)))

    done = sum(run(all_of_them()))
    sent = sizes(scripted)
    assert done <= sum(count for _, count in sent)
    for at, (start, _) in enumerate(sent):
        for until in range(at, len(sent)):
            spent, seconds = sent[at : until + 1], sent[until][0] - start
            assert len(spent) <= 2 + seconds + 1e-6
            assert sum(count for _, count in spent) <= 5 + rate * seconds + 1e-6
