"""What is merged, what never is, and who is told what."""

import asyncio

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from memory_provider import MemoryProvider, slots
from scripted_provider import Scripted, Takes, away, read
from virtual_time import run

from models.errors import ProviderRefused, ProviderUnavailable
from models.machine import State
from providers.batching import Batching
from providers.calls import AsProvider
from providers.orders import CreateOrder, DrainOrder, Fence
from providers.port import MOST_ORDERS
from providers.timing import loop_time

FENCE = Fence("s0", 1, 1)
WINDOW = 0.5


def orders(count, start=0):
    return [CreateOrder(f"m{start + n}") for n in range(count)]


def around(script=(), count=50):
    scripted = Scripted(MemoryProvider(slots(count)), list(script))
    return scripted, AsProvider(Batching(scripted, WINDOW))


async def after(seconds, work):
    await asyncio.sleep(seconds)
    return await work


async def both(*works):
    return await asyncio.gather(*works, return_exceptions=True)


def names(about):
    return [order.machine for order in about]


def test_calls_in_one_window_become_one_and_each_caller_gets_its_own_answers():
    scripted, provider = around()
    first, second = run(
        both(
            provider.create(FENCE, orders(2)),
            after(0.4, provider.create(FENCE, [*orders(3, 10), CreateOrder("nobody's")])),
        )
    )
    assert [ack.machine for ack in first] == ["m0", "m1"]
    assert [ack.machine for ack in second] == ["m10", "m11", "m12", "nobody's"]
    assert [ack.failure is None for ack in second] == [True, True, True, False]
    [(time, _, about)] = scripted.seen
    assert time == WINDOW
    assert names(about) == ["m0", "m1", "m10", "m11", "m12", "nobody's"]


def test_the_next_window_is_the_next_call():
    scripted, provider = around()
    run(both(provider.create(FENCE, orders(1)), after(0.6, provider.create(FENCE, orders(1, 1)))))
    assert [(time, names(about)) for time, _, about in scripted.seen] == [
        (0.5, ["m0"]),
        (1.1, ["m1"]),
    ]


@pytest.mark.parametrize("other", [Fence("s1", 1, 1), Fence("s0", 2, 1), Fence("s0", 1, 2)])
def test_calls_under_different_fences_are_never_one(other):
    scripted, provider = around()
    run(both(provider.create(FENCE, orders(1)), provider.create(other, orders(1, 1))))
    assert len(scripted.seen) == 2
    assert scripted.provider.fences.machines == {"m0": FENCE, "m1": other}


def test_operations_are_never_one():
    scripted, provider = around()
    run(both(provider.create(FENCE, orders(1)), provider.drain(FENCE, [DrainOrder("m1", 5)])))
    assert sorted(scripted.calls) == ["Create", "Drain"]


def test_a_full_call_goes_at_once_and_no_call_is_larger_than_providers_take():
    scripted, provider = around(count=0)
    half = MOST_ORDERS // 2
    run(
        both(
            provider.create(FENCE, orders(half)),
            provider.create(FENCE, orders(half, half)),
            provider.create(FENCE, orders(half + 1, 2 * half)),
            provider.create(FENCE, orders(half, 4 * half)),
        )
    )
    assert [(time, len(about)) for time, _, about in scripted.seen] == [
        (0.0, MOST_ORDERS),
        (0.0, half + 1),
        (WINDOW, half),
    ]


def test_a_caller_that_sends_too_many_is_told_so_by_the_provider():
    scripted, provider = around([ProviderRefused("p", "too many")], count=0)
    results = run(
        both(provider.create(FENCE, orders(MOST_ORDERS + 1)), provider.create(FENCE, orders(1)))
    )
    assert isinstance(results[0], ProviderRefused)
    assert results[1][0].machine == "m0"
    assert sorted(len(about) for _, _, about in scripted.seen) == [1, MOST_ORDERS + 1]


def test_what_goes_wrong_goes_wrong_for_each_caller_with_an_error_of_its_own():
    _, provider = around([away("all")])
    one, two = run(both(provider.create(FENCE, orders(1)), provider.create(FENCE, orders(1, 1))))
    assert isinstance(one, ProviderUnavailable)
    assert str(one) == str(two) == "provider scripted: all"
    assert one is not two


def test_a_fault_of_ours_is_raised_as_it_is():
    _, provider = around([KeyError("ours")])
    with pytest.raises(KeyError, match="ours"):
        run(provider.create(FENCE, orders(1)))


def test_too_few_answers_are_no_answer():
    _, provider = around([lambda orders: []])
    with pytest.raises(ProviderUnavailable, match="0 answers to 1 orders"):
        run(provider.create(FENCE, orders(1)))


def test_who_gives_up_in_time_takes_its_orders_along():
    scripted, provider = around()

    async def work():
        first = asyncio.ensure_future(provider.create(FENCE, orders(2)))
        second = asyncio.ensure_future(provider.create(FENCE, orders(1, 5)))
        await asyncio.sleep(0.1)
        first.cancel()
        return await second

    assert [ack.machine for ack in run(work())] == ["m5"]
    assert names(scripted.seen[0][2]) == ["m5"]


def test_where_all_give_up_nothing_is_sent():
    scripted, provider = around()

    async def work():
        task = asyncio.ensure_future(provider.create(FENCE, orders(2)))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.sleep(5.0)

    run(work())
    assert scripted.seen == []


def test_who_gives_up_later_takes_nothing_from_the_others():
    scripted, provider = around([Takes(3.0)])

    async def work():
        first = asyncio.ensure_future(provider.create(FENCE, orders(2)))
        second = asyncio.ensure_future(provider.create(FENCE, orders(1, 5)))
        await asyncio.sleep(1.0)
        first.cancel()
        return await second

    assert [ack.machine for ack in run(work())] == ["m5"]
    assert scripted.provider.machines["m0"].state is State.CREATING


def test_a_call_that_runs_takes_no_more_orders():
    scripted, provider = around([Takes(3.0)])
    run(both(provider.create(FENCE, orders(1)), after(1.0, provider.create(FENCE, orders(1, 1)))))
    assert [time for time, _, _ in scripted.seen] == [0.5, 1.5]


def test_gets_lists_and_no_orders_pass():
    scripted, provider = around()

    async def work():
        await provider.get(["m0"])
        await read(provider.list())
        assert await provider.create(FENCE, []) == ()
        assert loop_time() == 0.0

    run(work())
    assert scripted.calls == ["Get", "List", "page"]


CALLERS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.3]),
        st.integers(1, 400),
        st.sampled_from([FENCE, Fence("s0", 1, 2)]),
        st.sampled_from([None, 0.1, 0.6]),
    ),
    min_size=1, max_size=8,
)  # fmt: skip


@settings(max_examples=50)
@given(CALLERS, st.lists(st.sampled_from([None, "away", "slow"]), max_size=4))
def test_everybody_is_answered_in_the_window_for_its_own_orders(callers, steps):
    script = [{"away": away(), "slow": Takes(2.0)}.get(step) for step in steps]
    scripted, provider = around(script, count=0)

    async def caller(place, start, count, fence, patience):
        mine = orders(count, 1000 * place)
        try:
            async with asyncio.timeout(patience):
                acks = await provider.create(fence, mine)
        except (TimeoutError, ProviderUnavailable):
            return
        assert names(acks) == names(mine)
        calls = [(at, about) for at, _, about in scripted.seen if mine[0] in about]
        assert len(calls) == 1
        assert calls[0][0] <= start + WINDOW + 1e-9

    async def work():
        async with asyncio.TaskGroup() as tasks:
            for place, (start, count, fence, patience) in enumerate(callers):
                tasks.create_task(after(start, caller(place, start, count, fence, patience)))

    run(work())
    for _, _, about in scripted.seen:
        assert len(about) <= MOST_ORDERS
        assert len({callers[int(name[1:]) // 1000][2] for name in names(about)}) == 1
    sent = [name for _, _, about in scripted.seen for name in names(about)]
    assert len(sent) == len(set(sent))
