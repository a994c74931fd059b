"""Whatever is ordered, goes wrong, is lost or dies: an id is one machine, and is bought once."""

from collections import Counter
from dataclasses import replace

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from memory_provider import MemoryProvider, slots
from scripted_provider import Lost, Scripted, away
from virtual_time import VirtualLoop

from models.errors import ProviderError, ProviderThrottled
from models.failure import FailureClass
from models.labels import HOSTNAME, QUOTA
from models.machine import Operation, State
from providers.fanout.bindings import Place, SqliteBindings
from providers.fanout.provider import Fanout
from providers.fanout.rests import Rests
from providers.machine import Failure
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence
from providers.timing import Timing

ACCOUNTS = ("a", "b", "c")
IDS = [f"{account}/m{n}" for account in ACCOUNTS for n in range(3)]


class Died(BaseException):
    """The process of the fan-out is gone."""


FAULTS = {
    "away": lambda: away(),
    "lost": lambda: Lost(away()),
    "late": lambda: ProviderThrottled("p", "later"),
    "died": Died,
    "died after": lambda: Lost(Died()),
}


class Fanouts(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = VirtualLoop()
        self.store = SqliteBindings(":memory:")
        self.accounts = {
            name: Scripted(MemoryProvider(self.slots(name), revision=10 * ord(name)))
            for name in ACCOUNTS
        }
        self.now, self.sequence, self.cursor = 0.0, 0, ""
        self.mirror, self.last = {}, {}
        self.restart()

    @staticmethod
    def slots(account):
        """Give slots that differ in what does not tell them apart, revisions among it."""
        first = 10 * ord(account)
        return {
            name: replace(
                slot, labels={QUOTA: account, HOSTNAME: f"{account}-{name}"}, revision=first
            )
            for name, slot in slots(3).items()
        }

    @rule()
    def restart(self):
        timing = Timing(lambda: self.now)
        self.fanout = Fanout("f", self.accounts, self.store, Rests(10.0, 20.0), timing)

    def run(self, work):
        """Give what comes of a call; None if it failed."""
        try:
            return self.loop.run_until_complete(work)
        except ProviderError:
            return None
        except Died:
            self.restart()
            return None

    @rule(seconds=st.sampled_from([5.0, 30.0]))
    def wait(self, seconds):
        self.now += seconds

    @rule(account=st.sampled_from(ACCOUNTS), fault=st.sampled_from(sorted(FAULTS)))
    def next_call_fails(self, account, fault):
        self.accounts[account].script = [FAULTS[fault]()]

    @rule(
        account=st.sampled_from(ACCOUNTS),
        kind=st.none() | st.sampled_from(["QUOTA", "CAPACITY", "INVALID", "THROTTLED"]),
    )
    def creates_are_refused(self, account, kind):
        failure = kind and Failure(FailureClass[kind], "no")
        names = [f"m{n}" for n in range(3)] if kind else []
        self.accounts[account].provider.refuses = dict.fromkeys(names, failure)

    @rule(names=st.lists(st.sampled_from(IDS), min_size=1, max_size=6))
    def create(self, names):
        # The reservation tells, in the account, for which id a machine was bought.
        self.order(Operation.CREATE, [CreateOrder(name, 0, name) for name in names])

    @rule(name=st.sampled_from(IDS), step=st.sampled_from([1, 2, 3]))
    def go_on(self, name, step):
        orders = {
            1: (Operation.CONFIGURE, ConfigureOrder(name, "k", 0, name)),
            2: (Operation.DRAIN, DrainOrder(name, 5, 0, name)),
            3: (Operation.DELETE, DeleteOrder(name)),
        }
        operation, order = orders[step]
        self.order(operation, [order])

    def order(self, operation, orders):
        self.sequence += 1
        acks = self.run(self.fanout.order(operation, Fence("s0", 1, self.sequence), orders))
        if acks is not None:
            assert [ack.machine for ack in acks] == [order.machine for order in orders]
            for ack in acks:
                self.report(ack.snapshot)
                if operation is Operation.CREATE and ack.failure is None:
                    assert self.truth(ack.machine).state is not State.SPECULATIVE

    @rule(account=st.sampled_from(ACCOUNTS))
    def transitions_end(self, account):
        self.accounts[account].provider.end()

    @rule(account=st.sampled_from(ACCOUNTS), machine=st.sampled_from(["m0", "m1", "m2"]))
    def taken_back(self, account, machine):
        provider = self.accounts[account].provider
        known = provider.machines.get(machine)
        if known is not None and known.state not in (State.SPECULATIVE, State.CREATING):
            provider.put(replace(known, state=State.SPECULATIVE, cluster="", host=""))

    @rule(account=st.sampled_from(ACCOUNTS), machine=st.sampled_from(["m1", "m2"]))
    def withdrawn_or_listed(self, account, machine):
        provider = self.accounts[account].provider
        known = provider.machines.get(machine)
        if known is None:
            provider.put(self.slots(account)[machine])
            provider.gone.pop(machine, None)
        elif known.state is State.SPECULATIVE:
            provider.withdraw(machine)

    @rule()
    def get(self):
        found = self.run(self.fanout.get(IDS))
        if found is not None:
            assert sorted([*(m.id for m in found.machines), *found.unknown]) == sorted(IDS)
            for machine in found.machines:
                self.report(machine)

    @rule(is_full=st.booleans())
    def list(self, is_full):
        self.run(self.listed("" if is_full else self.cursor))

    async def listed(self, cursor):
        rows, gone, end = [], [], None
        async for page in self.fanout.list(cursor):
            assert end is None, "the end is the last page."
            rows, gone, end = rows + list(page.machines), gone + list(page.gone), page.end
        for machine in rows:
            self.report(machine)
        if end is None:
            return
        assert end.is_full == (not cursor)
        self.mirror = ({} if end.is_full else self.mirror) | {row.id: row for row in rows}
        for name in gone:
            self.mirror.pop(name, None)
        self.cursor = end.cursor
        self.mirrored()

    def mirrored(self):
        """Compare what a reader of Lists knows with how things are."""
        there = {}
        for account, scripted in self.accounts.items():
            for machine in scripted.provider.machines.values():
                name = self.fanout.slots.name(Place(account, machine.id))
                there[name] = (machine.state, machine.host, machine.labels.get(HOSTNAME))
        seen = {n: (m.state, m.host, m.labels.get(HOSTNAME)) for n, m in self.mirror.items()}
        assert seen == there

    def report(self, machine):
        """Check what is told of a machine against what was told of it before."""
        if machine is None:
            return
        last = self.last.get(machine.id)
        if last is not None:
            assert machine.revision >= last.revision
            assert machine.revision > last.revision or machine == last
        assert QUOTA not in machine.labels
        self.last[machine.id] = machine

    def truth(self, name):
        place = self.fanout.slots.place(name)
        return self.accounts[place.account].provider.machines[place.machine]

    @invariant()
    def no_machine_is_bought_twice_and_each_stays_what_it_is(self):
        bought = Counter()
        for account, scripted in self.accounts.items():
            for machine in scripted.provider.machines.values():
                if machine.state is not State.SPECULATIVE:
                    bought[machine.reservation] += 1
                    assert self.fanout.slots.name(Place(account, machine.id)) == machine.reservation
        assert all(count == 1 for count in bought.values())

    @invariant()
    def all_ids_stand_for_all_machines(self):
        places = {self.fanout.slots.place(name) for name in IDS}
        assert places == {Place(a, f"m{n}") for a in ACCOUNTS for n in range(3)}
        assert all(self.fanout.slots.name(self.fanout.slots.place(name)) == name for name in IDS)

    def teardown(self):
        self.loop.close()
        self.store.close()


Fanouts.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestFanouts = Fanouts.TestCase
