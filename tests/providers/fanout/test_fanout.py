"""Which account an order goes to, and what is said when accounts fail."""

import asyncio
from dataclasses import replace

import pytest
from scripted_provider import Lost, Takes, away, pages_of, read
from virtual_time import run

from models.errors import ProviderRefused, ProviderThrottled, ProviderUnavailable, Unsupported
from models.failure import FailureClass
from models.machine import Operation, State
from providers.fanout.bindings import SqliteBindings
from providers.machine import Refusal
from providers.orders import ConfigureOrder, DeleteOrder
from tests.providers.fanout.accounts import (
    ACK,
    FENCE,
    NO,
    account,
    around,
    bought,
    classes,
    creates,
    later,
    orders,
)


def test_creates_go_to_the_account_with_the_fewest_in_use():
    a, b, c = account("a", 9), account("b", 9), account("c", 2)
    _, provider = around(a, b, c)

    async def work():
        await read(provider.list())
        acks = await provider.create(FENCE, orders(*(f"a/m{n}" for n in range(8))))
        assert classes(acks) == [None] * 8
        assert [ack.snapshot.id for ack in acks] == [f"a/m{n}" for n in range(8)]
        return await provider.get([f"a/m{n}" for n in range(9)])

    found = run(work())
    assert [bought(each) for each in (a, b, c)] == [3, 3, 2]
    states = [machine.state for machine in found.machines]
    assert states == [State.CREATING] * 8 + [State.SPECULATIVE]


def test_nothing_moves_before_the_accounts_were_listed():
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    run(provider.create(FENCE, orders("a/m0", "a/m1")))
    assert creates(a) == [["m0", "m1"]]
    assert b.seen == []


def test_only_like_slots_stand_for_each_other():
    a, b = account("a"), account("b", zone="y")
    _, provider = around(a, b)

    async def work():
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0", "a/m1", "a/m2"))

    run(work())
    assert (bought(a), bought(b)) == (3, 0)


@pytest.mark.parametrize("kind", ["QUOTA", "CAPACITY", "IP"])
def test_an_account_that_has_no_more_is_passed_over_in_the_same_call_and_rests(kind):
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    a.provider.refuses = dict.fromkeys(a.provider.machines, NO[FailureClass[kind]])

    async def work():
        await read(provider.list())
        acks = await provider.create(FENCE, orders("a/m0"))
        assert classes(acks) == [None]
        assert len(creates(a)) == 1
        acks = await provider.create(later(2), orders("a/m1", "a/m2"))
        assert classes(acks) == [None, None]
        assert len(creates(a)) == 1
        # Its own slots are of no use to a shard either; b has one left.
        acks = await provider.create(later(3), orders("b/m0", "a/m3"))
        assert classes(acks) == [None, FailureClass[kind]]
        assert "account a rests for 180 s" in acks[1].failure.message
        await asyncio.sleep(180.0)
        a.provider.refuses = {}
        return await provider.create(later(4), orders("a/m3"))

    assert classes(run(work())) == [None]
    assert (bought(a), bought(b)) == (1, 4)


def test_an_order_that_all_refuse_is_refused_once_by_each():
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    for each in (a, b):
        each.provider.refuses = dict.fromkeys(each.provider.machines, NO[FailureClass.QUOTA])

    async def work():
        await read(provider.list())
        return await provider.create(FENCE, orders("a/m0"))

    assert classes(run(work())) == [FailureClass.QUOTA]
    assert (creates(a), creates(b)) == ([["m0"]], [["m3"]])


@pytest.mark.parametrize("kind", ["THROTTLED", "INVALID", "INTERNAL"])
def test_no_other_refusal_lets_an_account_rest(kind):
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    a.provider.refuses = dict.fromkeys(a.provider.machines, NO[FailureClass[kind]])

    async def work():
        await read(provider.list())
        for sequence in (1, 2):
            acks = await provider.create(later(sequence), orders("a/m0"))
            assert classes(acks) == [FailureClass[kind]]

    run(work())
    assert len(creates(a)) == 2
    assert b.seen == [each for each in b.seen if each[1] != "Create"]


@pytest.mark.parametrize("fault", [away(), Lost(away()), Takes(9.0)])
def test_a_repeat_never_goes_elsewhere_also_after_a_restart(fault):
    a, b, store = account("a"), account("b"), SqliteBindings(":memory:")
    _, provider = around(a, b, store=store)

    async def work(provider):
        await read(provider.list())
        a.script = [fault]
        with pytest.raises((ProviderUnavailable, TimeoutError)):
            async with asyncio.timeout(5.0):
                await provider.create(FENCE, orders("a/m0"))
        _, provider = around(a, b, store=store)
        # More is in use there, and it has no more: still it is where the first may have gone.
        a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
        await read(provider.list())
        return await provider.create(FENCE, orders("a/m0"))

    assert classes(run(work(provider))) == [None]
    assert (bought(a), bought(b)) == (1, 0)


def test_what_was_refused_while_an_earlier_call_flies_stays():
    a, b = account("a"), account("b")
    _, provider = around(a, b)

    async def work():
        await read(provider.list())
        a.script = [Takes(9.0)]
        slow = asyncio.ensure_future(provider.create(FENCE, orders("a/m0")))
        await asyncio.sleep(1.0)
        a.script = [lambda told: [replace(ACK, machine=o.machine) for o in told]]
        await provider.create(FENCE, orders("a/m0"))
        a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0"))
        await slow

    run(work())
    assert (bought(a), bought(b)) == (1, 0)


def test_an_id_is_free_to_move_again_when_its_machine_is_a_slot_again():
    a, b = account("a", 1), account("b", 2)
    fanout, provider = around(a, b)

    async def work():
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0"))
        a.provider.end()
        await provider.delete(later(2), [DeleteOrder("a/m0")])
        assert fanout.slots.used("a") == 1
        a.provider.end()
        for name in ("m0", "m1"):
            b.provider.put(replace(b.provider.machines[name], shard="s0"))
        a.provider.refuses = {"m0": NO[FailureClass.QUOTA]}
        await read(provider.list())
        assert fanout.slots.used("a") == 0
        return await provider.create(later(3), orders("a/m0"))

    assert classes(run(work())) == [None]
    assert (bought(a), bought(b)) == (1, 1)
    assert fanout.bindings.load()["a/m0"].is_fixed


def test_other_orders_go_to_the_account_that_has_the_machine():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)

    async def work():
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0", "a/m1"))
        a.provider.end()
        b.provider.end()
        acks = await provider.configure(
            later(2), [ConfigureOrder(f"a/m{n}", "k", user_data=b"x") for n in range(2)]
        )
        assert classes(acks) == [None, None]

    run(work())
    for each in (a, b):
        [configured] = [m for m in each.provider.machines.values() if m.cluster]
        assert configured.state is State.CONFIGURING


def test_an_account_that_fails_answers_for_its_own_orders_only():
    a, b, c, d = (account(name) for name in "abcd")
    _, provider = around(a, b, c, d)
    names = [f"{each.name}/m0" for each in (a, b, c, d)]
    a.script, b.script = [away()], [ProviderThrottled("b", "later", 5.0)]
    c.script = [Unsupported("c", "no Delete")]
    for each in (a, b, c, d):
        each.provider.put(replace(each.provider.machines["m0"], state=State.IDLE, host="h"))
    acks = run(provider.delete(FENCE, [DeleteOrder(name) for name in names]))
    kinds = [FailureClass.INTERNAL, FailureClass.THROTTLED, FailureClass.INVALID, None]
    assert classes(acks) == kinds
    assert acks[2].failure.refusal is Refusal.UNSUPPORTED
    assert [ack.machine for ack in acks] == names


def test_where_all_fail_the_call_does_and_doubt_comes_first():
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    for scripts, kind in (
        (([ProviderThrottled("a", "")], [away()]), ProviderUnavailable),
        (([ProviderThrottled("a", "")], [ProviderThrottled("b", "")]), ProviderThrottled),
        (([ProviderRefused("a", "")], [Unsupported("b", "")]), ProviderRefused),
    ):
        a.script, b.script = scripts
        with pytest.raises(kind):
            run(provider.create(FENCE, orders("a/m0", "b/m0")))


@pytest.mark.parametrize("name", ["", "m0", "/m0", "x/m0", "a/"])
def test_what_no_account_has_is_unknown(name):
    a = account("a")
    _, provider = around(a)
    acks = run(provider.create(FENCE, orders(name, "a/m0")))
    assert acks[0].failure.refusal is Refusal.UNKNOWN_MACHINE
    assert acks[1].failure is None
    found = run(provider.get([name, "a/m0", "a/x"]))
    assert found.unknown == (name, "a/x")
    assert [machine.id for machine in found.machines] == ["a/m0"]


def test_a_get_needs_all_accounts_that_it_asks():
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    a.script = [away()]
    with pytest.raises(ProviderUnavailable):
        run(provider.get(["b/m0", "a/m0"]))
    a.script = [away()]
    assert [machine.id for machine in run(provider.get(["b/m1", "b/m0"])).machines] == [
        "b/m1",
        "b/m0",
    ]


def test_a_slot_that_goes_while_it_is_asked_for_is_gone():
    a, b = account("a", 2), account("b", 2)
    _, provider = around(a, b)

    async def work():
        cursor = (await pages_of(provider.list()))[0][-1].end.cursor
        a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
        await read(provider.list())
        await provider.create(FENCE, orders("a/m0"))
        pages = provider.list(cursor)
        given = [await anext(pages)]
        a.provider.withdraw("m0")
        return given + [page async for page in pages]

    pages = run(work())
    assert pages[-1].end.is_full is False
    assert [name for page in pages for name in page.gone] == ["b/m1"]


def test_an_account_that_refused_one_order_is_not_asked_again_where_it_took_another():
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    for name in ("m0", "m1", "m2"):
        b.provider.put(replace(b.provider.machines[name], state=State.IDLE, host="h"))
    a.provider.refuses = {"m0": NO[FailureClass.CAPACITY]}

    async def work():
        await read(provider.list())
        return await provider.create(FENCE, orders("a/m0", "a/m1"))

    assert classes(run(work())) == [None, None]
    assert (bought(a), bought(b)) == (1, 1)


def test_success_lets_the_next_rest_begin_short():
    a = account("a")
    _, provider = around(a)

    async def refused(sequence):
        a.provider.refuses = {"m3": NO[FailureClass.QUOTA]}
        acks = await provider.create(later(sequence), orders("a/m3"))
        assert classes(acks) == [FailureClass.QUOTA]

    async def work():
        await read(provider.list())
        await refused(1)
        await asyncio.sleep(180.0)
        assert classes(await provider.create(later(2), orders("a/m0"))) == [None]
        await refused(3)
        await asyncio.sleep(180.0)
        return await provider.create(later(4), orders("a/m1"))

    assert classes(run(work())) == [None]


def test_a_binding_is_kept_before_the_call_is_made():
    a, b, store = account("a"), account("b"), SqliteBindings(":memory:")
    _, provider = around(a, b, store=store)
    kept = []

    def told(orders):
        kept.append(store.load())
        return [replace(ACK, machine=order.machine, failure=None) for order in orders]

    async def work():
        await read(provider.list())
        a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
        await read(provider.list())
        b.script = [told]
        await provider.create(FENCE, orders("a/m0"))

    run(work())
    [before] = kept
    assert before["a/m0"].place == ("b", "m3")
    assert before["a/m0"].is_fixed
    assert before["b/m3"].place == ("a", "m0")


def test_revisions_too_large_to_rise_leave_an_id_where_it_is():
    a, b = account("a"), account("b")
    _, provider = around(a, b)
    for name, slot in tuple(a.provider.machines.items()):
        a.provider.machines[name] = replace(slot, revision=2**64 - 9)

    async def work():
        await read(provider.list())
        a.provider.machines["m1"] = replace(a.provider.machines["m1"], state=State.IDLE)
        await read(provider.list())
        return await provider.create(FENCE, orders("a/m0"))

    assert classes(run(work())) == [None]
    assert (bought(a), bought(b)) == (1, 0)


@pytest.mark.parametrize("name", ["", "a/b"])
def test_an_account_whose_name_could_not_be_told_from_an_id_is_refused(name):
    with pytest.raises(ValueError, match="no name"):
        around(account(name))


def test_a_fault_of_ours_holds_the_id_and_is_raised():
    a, b = account("a"), account("b")
    fanout, provider = around(a, b)

    async def work():
        await read(provider.list())
        a.script = [KeyError("ours")]
        with pytest.raises(KeyError):
            await provider.create(FENCE, orders("a/m0"))
        a.provider.put(replace(a.provider.machines["m1"], state=State.IDLE, host="h"))
        await read(provider.list())
        await fanout.order(Operation.CREATE, FENCE, orders("a/m0"))
        # Known now, it may become a slot again.
        a.provider.end("m0")
        await fanout.order(Operation.DELETE, FENCE, [DeleteOrder("a/m0")])
        a.provider.end("m0")
        await read(provider.list())
        assert fanout.slots.used("a") == 1

    run(work())
    assert (bought(a), bought(b)) == (1, 0)


def test_what_cannot_be_kept_is_not_sent_and_may_be_tried_again():
    a, b = account("a"), account("b")

    class Full(SqliteBindings):
        is_full = False

        def save(self, changed):
            if self.is_full:
                raise OSError("the disk is full")
            super().save(changed)

    store = Full(":memory:")
    fanout, provider = around(a, b, store=store)

    async def work():
        await read(provider.list())
        store.is_full = True
        with pytest.raises(ProviderUnavailable, match="the disk is full"):
            await provider.create(FENCE, orders("a/m0"))
        assert (creates(a), fanout.slots.used("a")) == ([], 0)
        store.is_full = False
        await read(provider.list())
        return await provider.create(FENCE, orders("a/m0"))

    assert classes(run(work())) == [None]
    assert store.load()["a/m0"].is_fixed
