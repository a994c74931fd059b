"""Intents one by one: when they are due, what ends them, and how."""

from dataclasses import replace

import pytest
from intent_store import MemoryIntents
from memory_provider import SPOT

from models.failure import FailureClass
from models.machine import Operation, State
from providers.intents import Ended, Ending, Intent, Intents
from providers.machine import Failure, Machine, Refusal
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence

CREATE = CreateOrder("m0", 3, "a/n")
CONFIGURE = ConfigureOrder("m0", "a", 3, "a/n")
DRAIN = DrainOrder("m0", 60, 3)
DELETE = DeleteOrder("m0", 3)


def life(*orders, store=None, epoch=1):
    intents = Intents.kept("s0", epoch, store or MemoryIntents())
    intents.intend(orders)
    return intents


def machine(state, revision=1, **fields):
    return Machine("m0", state, SPOT, revision=revision, **fields)


def accepted(state, revision=1, **fields):
    return Ack("m0", "op", machine(state, revision, **fields))


def failure(kind):
    return Failure(kind, "no.", 0.0, Refusal.STALE if kind is FailureClass.INVALID else None)


def test_what_is_intended_is_kept_before_it_is_due():
    store = MemoryIntents()
    intents = life(CREATE, store=store)
    assert store.kept == {"m0": Intent(CREATE)} == intents.open
    [call] = intents.due()
    assert (call.operation, call.fence, call.orders) == (
        Operation.CREATE,
        Fence("s0", 1, 1),
        (CREATE,),
    )


def test_what_is_under_way_is_not_due_again():
    intents = life(CREATE)
    [call] = intents.due()
    assert intents.due() == []
    intents.unanswered(call)
    [again] = intents.due()
    assert again.orders == call.orders
    assert again.fence == Fence("s0", 1, 2)


def test_calls_are_of_one_operation_and_not_too_long():
    orders = [CreateOrder(f"c{n}") for n in range(5)] + [DeleteOrder("d0")]
    calls = life(*orders).due(most=2)
    assert [(call.operation, len(call.orders)) for call in calls] == [
        (Operation.CREATE, 2),
        (Operation.CREATE, 2),
        (Operation.CREATE, 1),
        (Operation.DELETE, 1),
    ]
    assert [order for call in calls for order in call.orders] == orders
    assert [call.fence.sequence for call in calls] == [1, 2, 3, 4]


def test_a_blob_is_never_kept():
    with pytest.raises(ValueError, match="'m0' holds a bootstrap blob") as caught:
        life(replace(CONFIGURE, user_data=b"secret"))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("order", "running", "rests", "fields"),
    [
        (CREATE, State.CREATING, State.IDLE, {}),
        (CONFIGURE, State.CONFIGURING, State.CONFIGURED, {"cluster": "a"}),
        (DRAIN, State.DRAINING, State.IDLE, {}),
        (DELETE, State.DELETING, State.SPECULATIVE, {}),
    ],
)
def test_what_has_begun_is_kept_until_it_is_seen_to_be_over(order, running, rests, fields):
    store = MemoryIntents()
    intents = life(order, store=store)
    [call] = intents.due()
    assert intents.answered(call, [accepted(running, 2, **fields)]) == []
    begun = Intent(order, is_begun=True)
    assert store.kept == {"m0": begun}
    assert intents.due() == []
    assert intents.seen([machine(running, 2, **fields), machine(None, 3)]) == []
    assert intents.seen([machine(rests, 3, **fields)] * 2) == [Ended(begun, Ending.DONE)]
    assert store.kept == intents.open == {}
    assert intents.seen([machine(rests, 3, **fields)]) == []


def test_what_takes_no_time_is_over_with_its_answer():
    intents = life(DRAIN)
    [call] = intents.due()
    [ended] = intents.answered(call, [accepted(State.IDLE)])
    assert ended == Ended(Intent(DRAIN, is_begun=True), Ending.DONE)
    assert intents.open == {}


def begun(order, running, revision=5, **fields):
    intents = life(order)
    [call] = intents.due()
    intents.answered(call, [accepted(running, revision, **fields)])
    return intents


def test_an_older_sight_says_nothing():
    intents = begun(CREATE, State.CREATING, 5)
    assert intents.seen([machine(State.SPECULATIVE, 4), machine(State.IDLE, 4)]) == []
    [ended] = intents.seen([machine(State.IDLE, 6)])
    assert ended.ending is Ending.DONE


@pytest.mark.parametrize(
    ("order", "running", "seen", "ending"),
    [
        (CREATE, State.CREATING, machine(State.SPECULATIVE, 6), Ending.UNDONE),
        (CONFIGURE, State.CONFIGURING, machine(State.IDLE, 6), Ending.UNDONE),
        (CONFIGURE, State.CONFIGURING, machine(State.CONFIGURED, 6, cluster="b"), Ending.UNDONE),
        (CONFIGURE, State.CONFIGURING, machine(State.CONFIGURED, 6, cluster="a"), Ending.DONE),
        (DELETE, State.DELETING, machine(State.FAILED, 6), Ending.FAILED),
    ],
)
def test_what_has_begun_may_end_otherwise(order, running, seen, ending):
    [ended] = begun(order, running).seen([seen])
    assert ended.ending is ending


def test_a_failure_comes_with_its_reason():
    why = failure(FailureClass.CAPACITY)
    [ended] = begun(CREATE, State.CREATING).seen([machine(State.FAILED, 6, last_failure=why)])
    assert (ended.ending, ended.failure) == (Ending.FAILED, why)


def test_what_has_not_begun_is_sent_whatever_is_seen():
    """An attempt that nobody heard of can still come in, until a later one was heard."""
    intents = life(CREATE)
    intents.unanswered(*intents.due())
    assert intents.seen([machine(State.IDLE, 9)]) == intents.gone(["m0"]) == []
    assert len(intents.due()) == 1


@pytest.mark.parametrize(
    ("order", "running", "ending"),
    [
        (CREATE, State.CREATING, Ending.UNDONE),
        (DELETE, State.DELETING, Ending.DONE),
    ],
)
def test_a_machine_that_is_gone_ends_what_has_begun(order, running, ending):
    [ended] = begun(order, running).gone(["m0", "m1", "m0"])
    assert ended.ending is ending


@pytest.mark.parametrize("kind", FailureClass)
@pytest.mark.parametrize("is_in_doubt", [False, True])
def test_a_refusal_ends_what_is_not_in_doubt(kind, is_in_doubt):
    store = MemoryIntents()
    intents = life(CREATE, store=store)
    if is_in_doubt:
        intents.unanswered(*intents.due())
    [call] = intents.due()
    ended = intents.answered(call, [Ack("m0", failure=failure(kind))])
    stays = kind is FailureClass.INTERNAL or (is_in_doubt and kind is FailureClass.THROTTLED)
    assert ended == ([] if stays else [Ended(Intent(CREATE), Ending.REFUSED, failure(kind))])
    assert store.kept == intents.open == ({"m0": Intent(CREATE)} if stays else {})
    assert len(intents.due()) == stays


def test_internal_leaves_a_doubt():
    intents = life(CREATE)
    [call] = intents.due()
    intents.answered(call, [Ack("m0", failure=failure(FailureClass.INTERNAL))])
    [call] = intents.due()
    assert intents.refused(call, failure(FailureClass.INVALID)) == []
    assert len(intents.due()) == 1


def test_a_refused_call_ends_what_is_not_in_doubt():
    why = failure(FailureClass.THROTTLED)
    store = MemoryIntents({"m1": Intent(replace(CREATE, machine="m1"))})
    intents = life(CREATE, store=store)
    [call] = intents.due()
    assert {order.machine for order in call.orders} == {"m0", "m1"}
    assert intents.refused(call, why) == [Ended(Intent(CREATE), Ending.REFUSED, why)]
    assert [*store.kept] == [*intents.open] == ["m1"]
    [again] = intents.due()
    assert [order.machine for order in again.orders] == ["m1"]


def test_a_new_order_takes_the_place_of_an_old_one():
    store = MemoryIntents()
    intents = life(CREATE, store=store)
    [old] = intents.due()
    intents.intend([DELETE])
    assert store.kept == {"m0": Intent(DELETE)}
    # What is heard of the old one is none of the new one's business.
    assert intents.answered(old, [accepted(State.CREATING)]) == []
    assert intents.refused(old, failure(FailureClass.INVALID)) == []
    intents.unanswered(old)
    [new] = intents.due()
    assert new.orders == (DELETE,)
    assert new.fence.sequence > old.fence.sequence
    # The old one may still come in: only an answer puts an end to that.
    assert intents.refused(new, failure(FailureClass.THROTTLED)) == []


def test_a_doubt_stays_when_another_order_takes_the_place():
    intents = life(CREATE)
    intents.unanswered(*intents.due())
    intents.intend([DELETE])
    [call] = intents.due()
    assert intents.refused(call, failure(FailureClass.THROTTLED)) == []
    assert intents.open == {"m0": Intent(DELETE)}


def test_what_has_begun_is_not_sent_again_in_the_next_life():
    store = MemoryIntents()
    intents = life(CREATE, replace(CREATE, machine="m1"), store=store)
    [call] = intents.due()
    intents.answered(call, [accepted(State.CREATING)])
    after = Intents.kept("s0", 2, store)
    assert after.open == intents.open
    [call] = after.due()
    assert ([order.machine for order in call.orders], call.fence.epoch) == (["m1"], 2)
    [ended] = after.seen([machine(State.SPECULATIVE, 7)])
    assert ended.ending is Ending.UNDONE


def test_nothing_is_written_where_nothing_has_changed():
    store = MemoryIntents()
    intents = life(CREATE, store=store)
    writes = store.writes
    intents.unanswered(*intents.due())
    intents.seen([machine(State.IDLE)])
    intents.refused(*intents.due(), failure(FailureClass.THROTTLED))
    assert store.writes == writes
