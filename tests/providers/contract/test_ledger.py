"""A provider in memory: what is kept, what is told to the work, and news that come too late."""

import asyncio
from dataclasses import dataclass, field

import hypothesis.strategies as st
import pytest
from hypothesis import given
from timed_provider import METAL, SPOT

from models.failure import FailureClass
from models.machine import State
from providers.contract.ledger import Ledger
from providers.listing import ListEnd
from providers.machine import Failure, Machine, Refusal
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence

FENCE = Fence("s0", 1, 1)


@dataclass
class Work:
    """Writes down what it is asked for; refuses with ``failure``."""

    asked: list = field(default_factory=list)
    failure: Failure | None = None

    def __call__(self, order, machine):
        self.asked.append((order, machine))
        return self.failure


@dataclass
class Kept:
    work: Work = field(default_factory=Work)
    now: float = 100.0
    ledger: Ledger = field(init=False)

    def __post_init__(self):
        machines = {
            "m": Machine("m", State.SPECULATIVE, SPOT),
            "r": Machine("r", State.IDLE, METAL, host="rack"),
        }
        self.ledger = Ledger("l", machines, self.work, lambda: self.now)

    def order(self, call, order):
        [ack] = asyncio.run(getattr(self.ledger, call)(FENCE, [order]))
        return ack

    def listed(self, cursor="", **options):
        async def read():
            return [page async for page in self.ledger.list(cursor, **options)]

        [page] = asyncio.run(read())
        return page

    @property
    def running(self):
        return self.work.asked[-1][1]


def configured(kept):
    kept.order("configure", ConfigureOrder("r", "c", 1, "c/n"))
    kept.ledger.ended(kept.running)


def test_a_life():
    kept = Kept()
    ack = kept.order("create", CreateOrder("m", 3, "c/n"))
    assert kept.work.asked == [(CreateOrder("m", 3, "c/n"), ack.snapshot)]
    seen = ack.snapshot
    assert (seen.state, seen.shard, seen.ownership_version) == (State.CREATING, "s0", 3)
    assert (seen.reservation, seen.state_since, seen.operation) == ("c/n", 100.0, ack.operation)
    kept.now = 101.0
    kept.ledger.ended(kept.running, "i-1")
    seen = kept.ledger.machines["m"]
    assert (seen.state, seen.host, seen.state_since) == (State.IDLE, "i-1", 101.0)
    kept.order("configure", ConfigureOrder("m", "c", 3, "c/n"))
    kept.ledger.ended(kept.running)
    seen = kept.ledger.machines["m"]
    assert (seen.state, seen.host, seen.cluster) == (State.CONFIGURED, "i-1", "c")
    kept.order("drain", DrainOrder("m", 30, 3, "c/other"))
    assert kept.ledger.machines["m"].cluster == "c"
    kept.ledger.ended(kept.running)
    seen = kept.ledger.machines["m"]
    assert (seen.state, seen.cluster, seen.reservation) == (State.IDLE, "", "c/other")
    kept.order("delete", DeleteOrder("m", 3))
    kept.ledger.ended(kept.running)
    seen = kept.ledger.machines["m"]
    assert (seen.state, seen.host) == (State.SPECULATIVE, "")
    operations = [machine.operation for _, machine in kept.work.asked]
    assert len(set(operations)) == 4


def test_work_that_is_refused_leaves_all_as_it_was_but_the_revision():
    kept = Kept(Work(failure=Failure(FailureClass.QUOTA, "no more.")))
    before = kept.ledger.machines["m"]
    ack = kept.order("create", CreateOrder("m", 3, "c/n"))
    assert ack.failure == kept.work.failure
    after = kept.ledger.machines["m"]
    assert after.revision > before.revision
    fields = set(Machine.__slots__) - {"revision"}
    assert {name: getattr(after, name) for name in fields} == {
        name: getattr(before, name) for name in fields
    }


def test_a_repeat_and_a_longer_grace_ask_for_no_work_and_a_shorter_one_does():
    kept = Kept()
    configured(kept)
    asked = len(kept.work.asked)
    kept.order("configure", ConfigureOrder("r", "c", 1, "c/n"))
    assert len(kept.work.asked) == asked
    first = kept.order("drain", DrainOrder("r", 60, 1))
    kept.now = 110.0
    assert kept.order("drain", DrainOrder("r", 50, 1)).operation == first.operation
    assert kept.ledger.graces["r"] == 160.0
    assert len(kept.work.asked) == asked + 1
    assert kept.order("drain", DrainOrder("r", 49, 1)).operation == first.operation
    assert kept.ledger.graces["r"] == 159.0
    assert kept.work.asked[-1][0].grace_seconds == 49
    assert len(kept.work.asked) == asked + 2


def test_news_of_an_operation_that_is_over_come_too_late():
    kept = Kept()
    kept.order("create", CreateOrder("m", 1))
    old = kept.running
    kept.ledger.failed(old, "it took too long.")
    seen = kept.ledger.machines["m"]
    assert (seen.state, seen.failed_from) == (State.FAILED, State.CREATING)
    assert (seen.last_failure.message, seen.last_failure.at) == ("it took too long.", 100.0)
    kept.ledger.ended(old, "i-1")
    assert kept.ledger.machines["m"] == seen
    kept.order("delete", DeleteOrder("m", 1))
    deleting = kept.ledger.machines["m"]
    assert (deleting.state, deleting.failed_from, deleting.last_failure) == (
        State.DELETING,
        None,
        None,
    )
    kept.ledger.ended(old, "i-1")
    kept.ledger.failed(old, "once more.")
    assert kept.ledger.machines["m"] == deleting
    kept.ledger.ended(kept.running)
    kept.ledger.failed(kept.running, "too late.")
    assert kept.ledger.machines["m"].state is State.SPECULATIVE
    kept.ledger.withdraw("m")
    kept.ledger.ended(old)


def test_a_machine_that_could_not_be_configured_is_released_at_once_without_work():
    kept = Kept()
    kept.order("configure", ConfigureOrder("r", "c", 1))
    kept.ledger.failed(kept.running, "no.")
    asked = len(kept.work.asked)
    released = kept.order("drain", DrainOrder("r", 0, 1)).snapshot
    assert (released.state, released.cluster, released.failed_from) == (State.IDLE, "", None)
    assert len(kept.work.asked) == asked


def test_a_list_of_changes_has_what_changed_and_what_is_gone():
    kept = Kept()
    full = kept.listed()
    assert full.end.is_full
    assert [machine.id for machine in full.machines] == ["m", "r"]
    assert kept.listed(full.end.cursor).machines == ()
    kept.order("create", CreateOrder("m", 1))
    kept.ledger.withdraw("r")
    changes = kept.listed(full.end.cursor)
    assert [machine.id for machine in changes.machines] == ["m"]
    assert (changes.gone, changes.end.is_full) == (("r",), False)
    nothing = kept.listed(changes.end.cursor)
    assert (nothing.machines, nothing.gone) == ((), ())
    assert kept.listed(shard="s1").machines == ()
    assert [machine.id for machine in kept.listed(shard="s0").machines] == ["m"]
    assert kept.listed().gone == ()
    # What comes back is not gone any more.
    kept.ledger.put(Machine("r", State.IDLE, METAL))
    back = kept.listed(full.end.cursor)
    assert ([machine.id for machine in back.machines], back.gone) == (["m", "r"], ())


def test_changes_tell_the_owner_before_who_has_its_machine_now():
    kept = Kept()
    kept.order("create", CreateOrder("m", 1))
    cursor = kept.listed(shard="s0").end.cursor
    assert kept.listed(cursor, shard="s0").machines == ()
    for sequence in (1, 2):
        fence = Fence("s1", 1, sequence)
        asyncio.run(kept.ledger.create(fence, [CreateOrder("m", 2)]))
        [told] = kept.listed(cursor, shard="s0").machines
        assert told.shard == "s1"
    assert kept.listed("", shard="s0").end.is_full
    assert [machine.id for machine in kept.listed("", shard="s0").machines] == ["r"]
    # What the new owner does with it is no news to the one before.
    cursor = kept.listed(cursor, shard="s0").end.cursor
    kept.ledger.ended(kept.running)
    assert kept.listed(cursor, shard="s0").machines == ()
    assert [machine.id for machine in kept.listed(cursor, shard="s1").machines] == ["m"]


@pytest.mark.parametrize("cursor", ["1:0", "99.0:0", "100.0:x", "100.0:", "0", "größe:²"])
def test_the_cursor_of_another_life_gives_all(cursor):
    page = Kept().listed(cursor)
    assert page.end == ListEnd("100.0:0", True)
    assert len(page.machines) == 2


ORDERS = st.sampled_from(
    [
        ("create", CreateOrder("m", 1)),
        ("delete", DeleteOrder("m", 1)),
        ("configure", ConfigureOrder("r", "c", 1)),
        ("drain", DrainOrder("r", 5, 1)),
        ("end", None),
        ("fail", None),
    ]
)


@given(st.lists(ORDERS, max_size=12), st.integers(0, 12))
def test_changes_since_any_moment_lead_to_what_there_is(steps, moment):
    kept = Kept()
    known, cursor = {}, ""
    for number, (call, order) in enumerate(steps):
        if number == moment:
            page = kept.listed()
            known, cursor = {m.id: m for m in page.machines}, page.end.cursor
        if order is not None:
            ack = kept.order(call, order)
            assert ack.failure is None or ack.failure.refusal is Refusal.WRONG_STATE
        elif kept.work.asked:
            news = kept.ledger.ended if call == "end" else kept.ledger.failed
            news(kept.running, "h")
    known |= {machine.id: machine for machine in kept.listed(cursor).machines}
    assert known == kept.ledger.machines
