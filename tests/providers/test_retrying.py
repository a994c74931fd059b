"""What is repeated, when, and what is said at the end."""

import asyncio

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from memory_provider import MemoryProvider, slots
from scripted_provider import Lost, Scripted, Takes, away, pages_of, read, refusing
from virtual_time import run

from models.errors import (
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)
from models.failure import FailureClass
from models.machine import Operation, State
from providers.calls import AsProvider
from providers.machine import Failure
from providers.orders import CreateOrder, Fence
from providers.retrying import Retries, Retrying
from providers.timing import Timing, loop_time

FENCE = Fence("s0", 1, 1)
ORDERS = [CreateOrder("m0"), CreateOrder("m1"), CreateOrder("m2")]
THROTTLED, INTERNAL = FailureClass.THROTTLED, FailureClass.INTERNAL
QUICK = Retries(attempts=4, first_seconds=1.0, most_seconds=3.0, attempt_seconds=10.0)


def late(seconds):
    return ProviderThrottled("scripted", "later", seconds)


def around(script, retries=QUICK, chance=1.0):
    scripted = Scripted(MemoryProvider(slots(3)), list(script))
    return scripted, AsProvider(Retrying(scripted, retries, chance=lambda: chance))


def times(scripted):
    return [time for time, call, _ in scripted.seen if call != "page"]


def classes(acks):
    return [ack.failure.failure_class if ack.failure else None for ack in acks]


def test_no_answer_is_asked_again_with_growing_waits():
    scripted, provider = around([away(), away(), away()])
    acks = run(provider.create(FENCE, ORDERS))
    assert classes(acks) == [None] * 3
    assert times(scripted) == [0.0, 1.0, 3.0, 6.0]
    assert all(about == ORDERS for _, _, about in scripted.seen)


def test_waits_are_drawn_from_nothing_to_the_whole():
    scripted, provider = around([away(), away(), away()], chance=0.25)
    run(provider.create(FENCE, ORDERS))
    assert times(scripted) == [0.0, 0.25, 0.75, 1.5]


def test_what_the_provider_asks_for_comes_on_top():
    scripted, provider = around([late(7.0), late(0.0)])
    assert run(provider.get(["m0"])).machines[0].id == "m0"
    assert times(scripted) == [0.0, 8.0, 10.0]


def test_after_the_last_attempt_the_last_error_is_raised():
    scripted, provider = around([away("1"), away("2"), away("3"), away("4")])
    with pytest.raises(ProviderUnavailable, match="4"):
        run(provider.get(["m0"]))
    assert len(scripted.seen) == 4


def test_a_throttled_end_is_in_doubt_after_an_attempt_without_an_answer():
    _, provider = around([away("first"), late(1.0), late(1.0), late(1.0)])
    with pytest.raises(ProviderUnavailable, match="first"):
        run(provider.create(FENCE, ORDERS))
    _, provider = around([late(1.0)] * 4)
    with pytest.raises(ProviderThrottled):
        run(provider.create(FENCE, ORDERS))


def test_no_attempt_begins_that_might_end_after_the_deadline():
    retries = Retries(100, 4.0, 4.0, attempt_seconds=10.0, deadline_seconds=20.0)
    scripted, provider = around([away()] * 100, retries)
    with pytest.raises(ProviderUnavailable):
        run(provider.get(["m0"]))
    assert times(scripted) == [0.0, 4.0, 8.0]


def test_an_attempt_that_hangs_is_given_up_and_repeated():
    scripted, provider = around([Takes(1e6)])
    assert classes(run(provider.create(FENCE, ORDERS))) == [None] * 3
    assert times(scripted) == [0.0, 11.0]
    _, provider = around([Takes(1e6)] * 4)
    with pytest.raises(ProviderUnavailable, match="no answer within 10 s"):
        run(provider.create(FENCE, ORDERS))


def test_an_error_of_time_that_is_not_ours_is_no_deadline():
    _, provider = around([TimeoutError("theirs")])
    with pytest.raises(TimeoutError, match="theirs"):
        run(provider.get(["m0"]))


@pytest.mark.parametrize("error", [ProviderRefused("p", "no"), Unsupported("p", "no"), KeyError()])
def test_what_repeating_does_not_help_is_raised_at_once(error):
    for call in ("create", "get", "list"):
        scripted, provider = around([error])
        work = {
            "create": lambda p: p.create(FENCE, ORDERS),
            "get": lambda p: p.get(["m0"]),
            "list": lambda p: read(p.list()),
        }[call]
        with pytest.raises(type(error)):
            run(work(provider))
        assert len(scripted.seen) == 1


def test_throttled_orders_are_repeated_alone():
    script = [
        refusing(None, THROTTLED, THROTTLED),
        refusing(FailureClass.QUOTA, THROTTLED),
        refusing(None),
    ]
    scripted, provider = around(script)
    acks = run(provider.create(FENCE, ORDERS))
    assert [ack.machine for ack in acks] == ["m0", "m1", "m2"]
    assert classes(acks) == [None, FailureClass.QUOTA, None]
    assert [about for _, _, about in scripted.seen] == [ORDERS, ORDERS[1:], ORDERS[2:]]


@pytest.mark.parametrize("failure", [each for each in FailureClass if each is not THROTTLED])
def test_no_other_refusal_is_repeated(failure):
    scripted, provider = around([refusing(None, failure, None)])
    assert classes(run(provider.create(FENCE, ORDERS))) == [None, failure, None]
    assert len(scripted.seen) == 1


def test_repeats_of_throttled_orders_end():
    three = refusing(THROTTLED, THROTTLED, THROTTLED)
    scripted, provider = around([three] * 9)
    assert classes(run(provider.create(FENCE, ORDERS))) == [THROTTLED] * 3
    assert len(scripted.seen) == 4


def test_a_repeat_without_an_answer_leaves_the_others_their_answers():
    _, provider = around([refusing(None, THROTTLED, FailureClass.IP), away(), away(), away()])
    assert classes(run(provider.create(FENCE, ORDERS))) == [None, INTERNAL, FailureClass.IP]
    _, provider = around([refusing(None, THROTTLED, FailureClass.IP), late(0), late(0), late(0)])
    assert classes(run(provider.create(FENCE, ORDERS))) == [None, THROTTLED, FailureClass.IP]


def test_too_few_answers_are_no_answer():
    _, provider = around([lambda orders: [], None])
    with pytest.raises(ProviderUnavailable, match="0 answers to 3 orders"):
        run(provider.create(FENCE, ORDERS))


def test_a_list_begins_again_until_its_first_page_is_given_on():
    scripted, provider = around([away(), late(2.0)])
    assert len(run(read(provider.list()))) == 3
    assert scripted.calls == ["List", "List", "List", "page"]
    assert times(scripted) == [0.0, 1.0, 5.0]


def test_a_list_that_breaks_later_is_partial():
    scripted, provider = around([None, away("in the middle")])

    pages, error = run(pages_of(provider.list()))
    assert len(pages) == 1
    assert isinstance(error, ProviderUnavailable)
    assert scripted.calls == ["List", "page"]


def test_a_list_that_hangs_before_its_first_page_begins_again():
    scripted, provider = around([Takes(1e6)])
    assert len(run(read(provider.list()))) == 3
    assert times(scripted) == [0.0, 11.0]


def test_a_list_without_a_page_is_given_as_it_is():
    scripted, provider = around([away()] * 9)
    with pytest.raises(ProviderUnavailable):
        run(read(provider.list()))
    assert len(scripted.seen) == 4


STEPS = st.lists(
    st.sampled_from(["away", "late", "done but away", "hang", "throttled"]), max_size=6
)


@settings(max_examples=60)
@given(STEPS, st.floats(0, 1), st.sampled_from([0.0, 0.5, 2.0, 30.0, None]))
def test_whatever_goes_wrong_nothing_is_bought_twice_and_no_order_is_lost(steps, chance, cancelled):
    memory = MemoryProvider(slots(3))

    def throttled(orders):
        return refusing(*[THROTTLED] * len(orders))(orders)

    script = {
        "away": away(), "late": late(1.5), "hang": Takes(1e6), "throttled": throttled,
        "done but away": Lost(away()),
    }  # fmt: skip
    scripted = Scripted(memory, [script[step] for step in steps])
    provider = AsProvider(Retrying(scripted, QUICK, chance=lambda: chance))

    async def work():
        task = asyncio.ensure_future(provider.create(FENCE, ORDERS))
        if cancelled is not None:
            await asyncio.wait([task], timeout=cancelled)
            task.cancel()
        await asyncio.wait([task])
        return task, loop_time()

    task, ended = run(work())
    assert ended <= QUICK.deadline_seconds
    assert all(count == 1 for count in memory.bought.values() if count)
    if not task.cancelled() and task.exception() is None:
        for ack in task.result():
            is_made = memory.machines[ack.machine].state is State.CREATING
            kind = ack.failure and ack.failure.failure_class
            assert is_made if kind is None else kind in (INTERNAL, THROTTLED)
            assert not (kind is THROTTLED and is_made)


def test_clock_and_sleep_are_those_that_are_given():
    now, slept = [100.0], []

    async def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    scripted = Scripted(MemoryProvider(slots(1)), [away(), away()])
    timing = Timing(lambda: now[0], sleep)
    retrying = Retrying(scripted, QUICK, timing, lambda: 0.5)
    acks = run(retrying.order(Operation.CREATE, FENCE, ORDERS[:1]))
    assert acks[0].failure is None
    assert slept == [0.5, 1.0]
    assert run(retrying.get([])).machines == ()


@pytest.mark.parametrize(
    "wrong",
    [{"attempts": 0}, {"first_seconds": 0.0}, {"most_seconds": -1.0}, {"attempt_seconds": 0.0},
     {"attempt_seconds": 50.0, "deadline_seconds": 49.0}],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong)).split("_")[0]):
        Retries(**wrong)


def test_doubt_says_why():
    _, provider = around(
        [refusing(THROTTLED, None, None), away("gone"), away("gone"), away("gone")]
    )
    failure = run(provider.create(FENCE, ORDERS))[0].failure
    assert failure == Failure(INTERNAL, "provider scripted: gone", 0.0)
