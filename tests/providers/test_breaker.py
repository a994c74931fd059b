"""When a circuit opens and closes, and what passes meanwhile."""

import asyncio

import hypothesis.strategies as st
import pytest
from hypothesis import given
from memory_provider import MemoryProvider, slots
from scripted_provider import Scripted, Takes, away, read, refusing
from virtual_time import run

from models.errors import (
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)
from models.failure import FailureClass
from providers.breaker import Breaker, Circuit, Guarded, Patience
from providers.calls import AsProvider
from providers.orders import CreateOrder, Fence

FENCE = Fence("s0", 1, 1)
ORDERS = [CreateOrder("m0")]
QUICK = Patience(failures=3, share=0.5, calls=6, window_seconds=60.0, open_seconds=10.0)


def around(script, patience=QUICK):
    scripted = Scripted(MemoryProvider(slots(3)), list(script))
    return scripted, AsProvider(Guarded(scripted, Breaker(patience)))


async def fails(work, kind=ProviderUnavailable):
    with pytest.raises(kind) as caught:
        await work
    return caught.value


async def break_it(provider, times=3):
    for _ in range(times):
        await fails(provider.get(["m0"]))


def test_opens_after_failures_in_a_row_and_then_nothing_is_asked():
    scripted, provider = around([away()] * 3)

    async def work():
        await break_it(provider)
        await asyncio.sleep(4.0)
        for call in (provider.create(FENCE, ORDERS), provider.get([]), read(provider.list())):
            error = await fails(call, ProviderThrottled)
            assert error.retry_seconds == pytest.approx(6.0)

    run(work())
    assert len(scripted.seen) == 3


def test_an_answer_between_failures_keeps_it_closed():
    _, provider = around([away(), away(), None, away(), away(), None])

    async def work():
        await break_it(provider, 2)
        await provider.get([])
        await break_it(provider, 2)
        await provider.create(FENCE, ORDERS)

    run(work())


@pytest.mark.parametrize(
    "answer",
    [*(refusing(each) for each in FailureClass), ProviderRefused("p", "no"),
     Unsupported("p", "no"), ProviderThrottled("p", "later")],
)  # fmt: skip
def test_no_refusal_opens_it(answer):
    scripted, provider = around([answer] * 20)

    async def work():
        for _ in range(20):
            if isinstance(answer, Exception):
                assert await fails(provider.create(FENCE, ORDERS), type(answer)) is answer
            else:
                await provider.create(FENCE, ORDERS)

    run(work())
    assert len(scripted.seen) == 20


def test_that_it_throttles_does_not_show_that_it_is_there():
    late = ProviderThrottled("p", "later")
    scripted, provider = around([away(), late, away(), late, away()])

    async def work():
        for kind in (ProviderUnavailable, ProviderThrottled) * 2:
            await fails(provider.get([]), kind)
        await fails(provider.get([]))
        assert "left alone" in (await fails(provider.get([]), ProviderThrottled)).message

    run(work())
    assert len(scripted.seen) == 5


def test_opens_by_the_share_that_failed_of_the_window():
    steps = [None, away(), None, away(), None, away()]
    scripted, provider = around(steps)

    async def work():
        for step in steps:
            await (provider.get([]) if step is None else fails(provider.get([])))
        await fails(provider.get([]), ProviderThrottled)

    run(work())
    assert len(scripted.seen) == 6


def test_what_is_older_than_the_window_counts_no_more():
    steps = [away(), None] * 4
    scripted, provider = around(steps)

    async def work():
        for step in steps:
            await (provider.get([]) if step is None else fails(provider.get([])))
            await asyncio.sleep(13.0)

    run(work())
    assert len(scripted.seen) == 8


def test_a_get_or_a_list_asks_whether_it_is_back():
    for call in (lambda p: p.get(["m0"]), lambda p: read(p.list())):
        scripted, provider = around([away()] * 3)

        async def work(provider=provider, call=call):
            await break_it(provider)
            await asyncio.sleep(10.0)
            await call(provider)
            await provider.create(FENCE, ORDERS)

        run(work())
        assert scripted.calls[3] in ("Get", "List")
        assert scripted.calls[-1] == "Create"


def test_before_an_order_a_get_of_nothing_asks():
    scripted, provider = around([away()] * 3)

    async def work():
        await break_it(provider)
        await asyncio.sleep(10.0)
        await provider.create(FENCE, ORDERS)

    run(work())
    assert [(call, about) for _, call, about in scripted.seen[3:]] == [
        ("Get", []),
        ("Create", ORDERS),
    ]


def test_an_order_is_not_sent_to_one_that_is_still_away_and_the_wait_begins_anew():
    scripted, provider = around([away()] * 4)

    async def work():
        await break_it(provider)
        await asyncio.sleep(10.0)
        # Nothing of the order was done.
        error = await fails(provider.create(FENCE, ORDERS), ProviderThrottled)
        assert error.retry_seconds == 10.0
        await asyncio.sleep(9.9)
        await fails(provider.get([]), ProviderThrottled)
        await asyncio.sleep(0.1)
        await provider.get([])

    run(work())
    assert scripted.calls == ["Get"] * 5


@pytest.mark.parametrize("error", [ProviderRefused("p", "no"), Unsupported("p", "no")])
def test_one_that_refuses_a_get_of_nothing_is_there(error):
    scripted, provider = around([away()] * 3 + [error])

    async def work():
        await break_it(provider)
        await asyncio.sleep(10.0)
        assert (await provider.create(FENCE, ORDERS))[0].failure is None

    run(work())
    assert scripted.calls[3:] == ["Get", "Create"]


def test_only_one_asks_at_a_time_and_one_who_gives_up_lets_the_next():
    scripted, provider = around([away()] * 3 + [Takes(5.0), Takes(5.0)])

    async def work():
        await break_it(provider)
        await asyncio.sleep(10.0)
        first = asyncio.ensure_future(provider.get([]))
        await asyncio.sleep(1.0)
        await fails(provider.create(FENCE, ORDERS), ProviderThrottled)
        await fails(provider.get([]), ProviderThrottled)
        first.cancel()
        await asyncio.wait([first])
        await provider.create(FENCE, ORDERS)

    run(work())
    assert scripted.calls[3:] == ["Get", "Get", "Create"]


def test_what_began_before_says_nothing_about_now():
    slow_good, slow_bad = Takes(5.0), Takes(16.0, away())
    scripted, provider = around([slow_good, slow_bad, away(), away(), away()])

    async def work():
        good = asyncio.ensure_future(provider.get([]))
        bad = asyncio.ensure_future(fails(provider.get([])))
        await asyncio.sleep(0.1)
        await break_it(provider)
        await good
        await fails(provider.get([]), ProviderThrottled)
        await asyncio.sleep(6.0)
        await provider.get([])
        await bad
        # The late failure was none of the three in a row.
        scripted.script[:] = [away(), away()]
        await break_it(provider, 2)
        await provider.get([])

    run(work())


def test_a_list_that_breaks_counts_and_one_that_is_left_does_not():
    scripted, provider = around([None, away()] * 3)

    async def broken():
        async for _ in provider.list():
            pass

    async def left():
        pages = provider.list()
        async for _ in pages:
            break
        await pages.aclose()

    async def work():
        for _ in range(3):
            await fails(broken())
        await fails(left(), ProviderThrottled)
        await asyncio.sleep(10.0)
        await left()
        # Left is not answered: it is still time to ask.
        scripted.script[:] = [away()]
        await fails(provider.get([]))
        await fails(provider.get([]), ProviderThrottled)

    run(work())


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 4.0, 11.0]), st.booleans()), max_size=40))
def test_opens_just_when_the_rules_say(steps):
    breaker, now = Breaker(QUICK), 0.0
    opened, history = None, []
    for seconds, is_failure in steps:
        now += seconds
        wanted = (
            Circuit.CLOSED if opened is None
            else Circuit.HALF_OPEN if now >= opened + 10.0
            else Circuit.OPEN
        )  # fmt: skip
        assert breaker.circuit(now) is wanted
        if wanted is Circuit.OPEN:
            continue
        if is_failure:
            breaker.failed(breaker.life, now)
        else:
            breaker.succeeded(breaker.life, now)
        if opened is not None:
            opened, history = (now if is_failure else None), []
            continue
        history.append((now, is_failure))
        recent = [bad for at, bad in history if at >= now - 60.0]
        row = [bad for _, bad in history[-3:]]
        is_many = len(recent) >= 6 and sum(recent) >= len(recent) / 2
        if is_failure and (row == [True] * 3 or is_many):
            opened, history = now, []
