"""A shard that dies at any step, and a network that loses and delays: nothing is bought twice.

A demand goes up and down. The shard meets it with machines of its choice, in each life by another
choice and for another need, so that what it did not keep it would order anew elsewhere.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from intent_store import MemoryIntents
from memory_provider import MemoryProvider, slots

from models.failure import FailureClass
from models.machine import State
from providers.contract.begin import Begin
from providers.contract.desk import answered
from providers.intents import Intents
from providers.machine import Failure, Refusal
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder

DEMANDS = (2, 0, 1)
MACHINES = 4
MOST_CYCLES = 400
THROTTLED = Failure(FailureClass.THROTTLED, "slow down.")
RECLAIM = 30
"""A choice from here on: the cloud takes a machine back first."""
ON = {State.CREATING, State.IDLE, State.CONFIGURING, State.CONFIGURED}


class Fate(IntEnum):
    """What happens at a step; those from SEND on only where a call is sent."""

    NOTHING = 0
    DIES_BEFORE = 1
    DIES_AFTER = 2
    SEND_LOST = 3
    SEND_DELAYED = 4
    SEND_DELAYED_AND_DIES = 5
    SEND_UNANSWERED = 6
    SEND_THROTTLED = 7


class Death(Exception):
    """The process is gone; what it held in memory with it."""


@dataclass
class Fates:
    """What happens at each step, in order; after the last, nothing any more."""

    script: tuple
    step: int = 0

    def next(self):
        self.step += 1
        return self.script[self.step - 1] if self.step <= len(self.script) else Fate.NOTHING


@dataclass
class MortalIntents(MemoryIntents):
    """The process may die before and after each write."""

    fates: Fates = None

    def write(self, kept, ended):
        fate = self.fates.next()
        if fate is Fate.DIES_BEFORE:
            raise Death
        MemoryIntents.write(self, kept, ended)
        if fate is Fate.DIES_AFTER:
            raise Death


class CountingProvider(MemoryProvider):
    """``begun`` counts the operations that began."""

    def __init__(self, machines):
        super().__init__(machines)
        self.begun = Counter()

    def act(self, order, begin, fence):
        self.begun[type(order)] += begin is Begin.NEW
        return MemoryProvider.act(self, order, begin, fence)


@dataclass
class World:
    """What outlives the process: provider, store, and calls that are still on their way."""

    fates: Fates
    choices: tuple
    provider: CountingProvider = field(default_factory=lambda: CountingProvider(slots(MACHINES)))
    delayed: list = field(default_factory=list)
    store: MortalIntents = None
    lives: int = 0
    cycles: int = 0
    met: int = 0
    reclaims: int = 0

    def __post_init__(self):
        self.store = MortalIntents(fates=self.fates)

    def choice(self):
        """Give a number for the cycle that runs; 0 when all that was drawn is used."""
        return self.choices[self.cycles] if self.cycles < len(self.choices) else 0

    def come_in(self, call):
        return answered(call.orders, call.fence, self.provider.fences, self.provider)

    def pass_time(self, choice):
        """Let transitions end, delayed calls come in, and a machine be taken back, or not."""
        if choice >= RECLAIM:
            self.reclaim(choice)
        if choice % 3 != 1:
            self.provider.end()
        if self.delayed and choice % 2 == 0:
            self.come_in(self.delayed.pop(choice % len(self.delayed)))

    def reclaim(self, choice):
        if real := self.real():
            machine = real[choice % len(real)]
            free = replace(machine, state=State.SPECULATIVE, cluster="", host="", reservation="")
            self.provider.put(free)
            self.reclaims += 1

    def real(self):
        return [m for m in self.provider.machines.values() if m.state is not State.SPECULATIVE]

    def is_settled(self, demand):
        states = Counter(machine.state for machine in self.provider.machines.values())
        wanted = Counter({State.CONFIGURED: demand, State.SPECULATIVE: MACHINES - demand})
        return states == +wanted and not self.store.kept


def live(world):
    """Meet one demand after the other in one life; return when the last is met."""
    world.lives += 1
    intents = Intents.kept("s0", world.lives, world.store)
    before = [*world.provider.machines.values()]
    most = len(world.real())
    while True:
        while world.met < len(DEMANDS) and world.is_settled(DEMANDS[world.met]):
            world.met += 1
            most = len(world.real())
        if world.met == len(DEMANDS):
            return
        demand = DEMANDS[world.met]
        world.cycles += 1
        assert world.cycles < MOST_CYCLES, "it does not end"
        choice = world.choice()
        if orders := decided(world, intents, demand, choice):
            intents.intend(orders)
        for call in intents.due():
            send(world, intents, call)
        world.pass_time(choice)
        now = [*world.provider.machines.values()]
        # A List that was read long ago may come last.
        intents.seen(before if choice % 5 == 1 else now)
        before = now
        assert len(world.real()) <= max(most, demand), "more was bought than anybody wanted"


def decided(world, intents, demand, choice):
    """Give the orders that bring a fleet nearer to a demand: one of each kind at most."""
    machines = [*world.provider.machines.values()]
    machines = machines[choice % MACHINES :] + machines[: choice % MACHINES]
    going = {n for n, i in intents.open.items() if isinstance(i.order, DrainOrder | DeleteOrder)}
    on = {m.id for m in machines if m.state in ON} | set(intents.open)
    missing = demand - len(on - going)
    need = f"a/n{world.lives}"
    free = {state: [m.id for m in machines if m.state is state and m.id not in intents.open]
            for state in State}  # fmt: skip
    orders = [CreateOrder(name, 1, need) for name in free[State.SPECULATIVE][: max(missing, 0)]]
    if missing < 0:
        surplus = (free[State.IDLE] + free[State.CONFIGURED])[:-missing]
        orders += [
            DeleteOrder(name, 1) if name in free[State.IDLE] else DrainOrder(name, 60, 1, need)
            for name in surplus
        ]
    else:
        orders += [ConfigureOrder(name, "a", 1, need) for name in free[State.IDLE]]
    return orders


def send(world, intents, call):
    fate = world.fates.next()
    if fate is Fate.DIES_BEFORE:
        raise Death
    if fate in (Fate.SEND_DELAYED, Fate.SEND_DELAYED_AND_DIES):
        world.delayed.append(call)
    if fate is Fate.SEND_DELAYED_AND_DIES:
        raise Death
    if fate in (Fate.SEND_DELAYED, Fate.SEND_LOST):
        return intents.unanswered(call)
    if fate is Fate.SEND_THROTTLED:
        return intents.refused(call, THROTTLED)
    acks = world.come_in(call)
    for ack in acks:
        # What the cloud has taken back meanwhile cannot be configured or drained.
        is_taken = ack.failure and world.reclaims and ack.failure.refusal is Refusal.WRONG_STATE
        assert is_taken or ack.failure is None
    if fate is Fate.DIES_AFTER:
        raise Death
    if fate is Fate.SEND_UNANSWERED:
        return intents.unanswered(call)
    return intents.answered(call, acks)


def lived(script, choices=()):
    """Live through all demands with such fates; check what came of it."""
    world = World(Fates(tuple(script)), tuple(choices))
    while world.met < len(DEMANDS):
        with suppress(Death):
            live(world)
    settled = [machine.state for machine in world.provider.machines.values()]
    while world.delayed:
        world.come_in(world.delayed.pop())
    assert [machine.state for machine in world.provider.machines.values()] == settled
    if world.reclaims:
        return world
    bought = sum(max(to - by, 0) for by, to in zip((0, *DEMANDS), DEMANDS, strict=False))
    given_back = bought - DEMANDS[-1]
    assert world.provider.begun == {
        CreateOrder: bought,
        ConfigureOrder: bought,
        DrainOrder: given_back,
        DeleteOrder: given_back,
    }
    return world


STEPS = lived(()).fates.step


def test_there_are_steps_to_die_at():
    assert STEPS > 15
    assert lived((Fate.DIES_BEFORE,)).lives == 2


FATES = [fate for fate in Fate if fate is not Fate.NOTHING]
CHOICES = ((), (1, 2, 3, 4) * 20, (3, 5, 9, 1) * 20)
"""With the last, what was delayed comes in when all is over."""


@pytest.mark.parametrize("fate", FATES)
def test_whatever_happens_at_one_step_nothing_is_bought_twice(fate):
    for step in range(STEPS):
        for choices in CHOICES:
            lived((Fate.NOTHING,) * step + (fate,), choices)


@pytest.mark.parametrize("fate", FATES)
def test_whatever_happens_next_nothing_is_bought_twice(fate):
    for step in range(STEPS):
        for after in FATES:
            lived((Fate.NOTHING,) * step + (fate, after), CHOICES[-1])


@given(
    st.lists(st.sampled_from(Fate), max_size=80),
    st.lists(st.integers(0, 29), max_size=80),
)
def test_whatever_happens_nothing_is_bought_twice(script, choices):
    lived(script, choices)


@given(
    st.lists(st.sampled_from(Fate), max_size=60),
    st.lists(st.integers(0, 2 * RECLAIM), max_size=60),
)
def test_what_the_cloud_takes_back_is_bought_once_more_and_no_more(script, choices):
    lived(script, choices)
