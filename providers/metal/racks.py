"""How all machines stand: in memory, and what orders have made of them in a store."""

import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from models.errors import ProviderUnavailable
from models.failure import FailureClass
from models.machine import State
from providers.contract.begin import Begin, Standing
from providers.contract.desk import answered
from providers.contract.fencing import Fences, Owner
from providers.contract.ledger import Ledger
from providers.machine import Failure, Health, Machine, Refusal
from providers.metal.hooks import Hooks, Kind
from providers.metal.inventory import Inventory
from providers.metal.outcome import Outcome
from providers.metal.record import Record
from providers.metal.store import Store
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence, Order

log = logging.getLogger(__name__)

_KIND_OF: Mapping[type[Order], Kind] = {
    CreateOrder: Kind.COMMISSION,
    ConfigureOrder: Kind.CONFIGURE,
    DrainOrder: Kind.DRAIN,
}
_KIND_IN = {
    State.CREATING: Kind.COMMISSION,
    State.CONFIGURING: Kind.CONFIGURE,
    State.DRAINING: Kind.DRAIN,
}
"""The hook that works on a machine in a state; during the others it is at rest."""


@dataclass(frozen=True, slots=True)
class Job:
    """A hook that is to be called for a machine.

    ``is_shorter``: the drain that runs has a shorter grace now.
    """

    kind: Kind
    machine: Machine
    user_data: bytes = field(default=b"", repr=False)
    is_shorter: bool = False


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What a new inventory has changed; ``busy``: no longer in it, and there until they are idle.

    ``changed``: those whose labels, resources, price or host are others now.
    """

    came: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    busy: tuple[str, ...] = ()


@dataclass
class Racks:
    """The books of a provider of bare metal; one life of it.

    Attributes
    ----------
    ledger
        All machines in memory, by the contract.
    started
        Machines for which a hook that must not run twice may have begun.
    releasing
        Idle machines on which the hook ``release`` has not ended yet.
    unsaved
        Machines that are not in the store as they are here.
    begun
        What the orders of a call come to.
    """

    name: str
    inventory: Inventory
    hooks: Hooks
    store: Store
    clock: Callable[[], float]
    ledger: Ledger = field(init=False)
    started: set[str] = field(default_factory=set)
    releasing: set[str] = field(default_factory=set)
    unsaved: set[str] = field(default_factory=set)
    begun: list[Job] = field(default_factory=list)

    def __post_init__(self) -> None:
        records, epochs = self.store.load()
        machines = {record.machine.id: record.machine for record in records}
        fences = {record.machine.id: record.fence for record in records if record.fence}
        # Milliseconds since 1970 rise over restarts without a write for each change.
        revisions = [int(self.clock() * 1000), *(each.revision for each in machines.values())]
        self.ledger = Ledger(
            self.name,
            machines,
            lambda order, machine: None,
            self.clock,
            Fences.of(epochs, fences),
            {record.machine.id: record.grace_until for record in records},
            revision=max(revisions),
        )
        self.started |= {record.machine.id for record in records if record.is_started}
        self.releasing |= {record.machine.id for record in records if record.is_releasing}
        self.reload(self.inventory)

    def standing(self, machine: str) -> tuple[Standing, Owner] | None:
        """See ``Books``."""
        return self.ledger.standing(machine)

    def snapshot(self, machine: str) -> Machine | None:
        """See ``Books``."""
        return self.ledger.snapshot(machine)

    def act(self, order: Order, begin: Begin, fence: Fence) -> Failure | None:
        """See ``Books``. What begins is added to ``begun``; ``ordered`` keeps it before it does."""
        failure = self._undoable(order) or self.ledger.act(order, begin, fence)
        if failure is not None or begin is Begin.REPEAT or isinstance(order, DeleteOrder):
            return failure
        kind = Kind.RELEASE if begin is Begin.RELEASE else _KIND_OF[type(order)]
        hook = self.hooks.of(kind)
        if kind is Kind.RELEASE and hook is not None:
            self.releasing.add(order.machine)
        machine = self.ledger.machines[order.machine]
        if kind is not Kind.RELEASE and hook is not None:
            seconds = hook.timeout if hook.expected is None else hook.expected
            if isinstance(order, DrainOrder):
                seconds = order.grace_seconds + (hook.expected or 0.0)
            machine = replace(machine, estimated_ready=self.clock() + seconds)
            if kind is Kind.COMMISSION:
                machine = replace(machine, host=self.inventory[machine.id].host)
            self.ledger.put(machine)
        if hook is not None:
            blob = order.user_data if isinstance(order, ConfigureOrder) else b""
            self.begun.append(Job(kind, machine, blob, begin is Begin.SHORTEN))
        return None

    def ordered(self, fence: Fence, orders: Sequence[Order]) -> tuple[list[Ack], list[Job]]:
        """Answer orders, and give the jobs that begin; all of it is in the store by then.

        Raises
        ------
        ProviderUnavailable
            When it cannot be stored; then nothing has begun, and all is as it was.
        """
        names = {order.machine for order in orders if order.machine in self.ledger.machines}
        before = {name: self._record(name) for name in names}
        epoch = self.ledger.fences.epochs.get(fence.shard)
        self.begun = []
        acks = answered(orders, fence, self.ledger.fences, self)
        self.unsaved |= before.keys()
        for name in before:
            if name not in self.inventory:
                self._settle(name)
        try:
            heard = self.ledger.fences.epochs.get(fence.shard)
            self._save({} if heard is None else {fence.shard: heard})
        except sqlite3.Error as error:
            for record in before.values():
                self._put_back(record)
            self.ledger.fences.epochs.pop(fence.shard, None)
            if epoch is not None:
                self.ledger.fences.epochs[fence.shard] = epoch
            said = f"its store cannot be written ({error}); nothing was begun."
            raise ProviderUnavailable(self.name, said) from None
        return acks, self.begun

    def resumed(self) -> list[Job]:
        """Give the jobs of an earlier life that are to be done again; give up the others."""
        jobs = []
        for machine in list(self.ledger.machines.values()):
            kind = _KIND_IN.get(machine.state) if machine.state is not None else None
            if machine.id in self.releasing:
                jobs.append(Job(Kind.RELEASE, machine))
            if kind is not None:
                jobs.append(Job(kind, machine))
        again = []
        for job in jobs:
            why = self._lost(job)
            if why:
                self.finished(job, Outcome(why))
            else:
                again.append(job)
        return again

    def starting(self, job: Job) -> None:
        """Keep that a hook begins, if it must not run twice; errors as of ``Store.write``."""
        hook = self.hooks.of(job.kind)
        if hook is not None and not hook.idempotent:
            self.started.add(job.machine.id)
            self.unsaved.add(job.machine.id)
            self._save()

    def finished(self, job: Job, outcome: Outcome) -> None:
        """Take how a hook ended; one that nobody waits for any more says nothing."""
        name = job.machine.id
        known = self.ledger.machines.get(name)
        if known is None:
            return
        message = outcome.message(job.user_data)
        if job.kind is Kind.RELEASE:
            self.releasing.discard(name)
            if outcome.failure:
                failure = Failure(FailureClass.INTERNAL, f"release: {message}", self.clock())
                self.ledger.put(replace(known, last_failure=failure))
        elif outcome.failure:
            self.ledger.failed(job.machine, message)
        else:
            self.ledger.ended(job.machine)
        if outcome.failure:
            log.warning("%s of %s: %s", job.kind, name, message)
        self.started.discard(name)
        self.unsaved.add(name)
        self._settle(name)
        self.save_or_say()

    def felt(self, machine: str, health: Health) -> None:
        """Take how a machine's health is."""
        known = self.ledger.machines.get(machine)
        if known is not None:
            self.ledger.put(replace(known, health=health))

    def reload(self, inventory: Inventory) -> Reloaded:
        """Take a new inventory in place of the one there is.

        What is new appears; what is no longer in it goes, once it is SPECULATIVE, IDLE or FAILED
        from CREATING. A machine that could not be commissioned is idle where its row says so now.
        """
        before = dict(self.ledger.machines)
        self.inventory = inventory
        for name in [*before, *(name for name in inventory if name not in before)]:
            self._settle(name)
        now = self.ledger.machines
        changed = [name for name in now if name in before and now[name] != before[name]]
        gone = [name for name in before if name not in now]
        # Only what has been ordered something is in the store.
        self.unsaved |= self.ledger.fences.machines.keys() & set(changed)
        self.save_or_say()
        return Reloaded(
            came=tuple(name for name in now if name not in before),
            gone=tuple(gone),
            changed=tuple(changed),
            busy=tuple(name for name in now if name not in inventory),
        )

    def save_or_say(self) -> None:
        """Write what is unsaved; if that cannot be, it stays so, and is written with the next."""
        try:
            self._save()
        except sqlite3.Error as error:
            log.error("%s: its store cannot be written (%s).", self.name, error)

    def _undoable(self, order: Order) -> Failure | None:
        """Refuse what no hook can be told, and a Create where no hook does it."""
        texts = [getattr(order, name, "") for name in ("cluster", "reservation")]
        if any("\0" in text for text in texts):
            said = f"cluster or reservation of {order.machine!r} holds a NUL."
            return Failure(FailureClass.INVALID, said, 0.0, Refusal.MALFORMED)
        if isinstance(order, CreateOrder) and self.hooks.commission is None:
            known = self.ledger.machines[order.machine]
            if known.state is State.SPECULATIVE:
                said = f"{order.machine!r} cannot be commissioned: there is no hook for it."
                return Failure(FailureClass.INVALID, said, 0.0, Refusal.UNSUPPORTED)
        return None

    def _settle(self, name: str) -> None:
        """Let a machine be as its row says, as far as that may be while it works."""
        known, row = self.ledger.machines.get(name), self.inventory.get(name)
        if row is None:
            if known is not None and self._is_free(known):
                self.ledger.withdraw(name)
                self.ledger.fences.machines.pop(name, None)
                self.ledger.graces.pop(name, None)
                self.unsaved.add(name)
            return
        if known is None:
            host = row.host if row.state is State.IDLE else ""
            self.ledger.put(replace(row, host=host, state_since=self.clock()))
            return
        known = replace(known, kind=row.kind, labels=row.labels)
        if self._is_free(known):
            if row.state is State.IDLE and known.state is not State.IDLE:
                known = replace(known, state=State.IDLE, failed_from=None, state_since=self.clock())
            known = replace(known, host="" if known.state is State.SPECULATIVE else row.host)
        self.ledger.put(known)

    def _is_free(self, machine: Machine) -> bool:
        is_dud = machine.state is State.FAILED and machine.failed_from is State.CREATING
        is_at_rest = machine.state in (State.SPECULATIVE, State.IDLE) or is_dud
        return is_at_rest and machine.id not in self.releasing

    def _lost(self, job: Job) -> str:
        """Say why a job of an earlier life is not to be done again; "" if it is."""
        hook = self.hooks.of(job.kind)
        if job.kind is Kind.CONFIGURE:
            return (
                "The provider ended while this machine was configured; the bootstrap blob is not "
                "kept, so order Configure again."
            )
        if hook is None:
            return f"The provider ended during it, and there is no hook {job.kind} any more."
        if job.machine.id in self.started and not hook.idempotent:
            return (
                f"The provider ended while the hook {job.kind} ran, which must not run twice; "
                "nobody knows what came of it."
            )
        return ""

    def _record(self, name: str) -> Record:
        return Record(
            self.ledger.machines[name],
            self.ledger.fences.machines.get(name),
            self.ledger.graces.get(name, 0.0),
            name in self.started,
            name in self.releasing,
        )

    def _put_back(self, record: Record) -> None:
        name = record.machine.id
        self.ledger.machines[name] = record.machine
        self.ledger.gone.pop(name, None)
        self.ledger.graces[name] = record.grace_until
        if record.fence is None:
            self.ledger.fences.machines.pop(name, None)
        else:
            self.ledger.fences.machines[name] = record.fence
        if not record.is_releasing:
            self.releasing.discard(name)

    def _save(self, epochs: Mapping[str, int] | None = None) -> None:
        if self.unsaved or epochs:
            # Differences of sets would walk over all machines: 2 ms for 100,000 of them.
            there = [name for name in sorted(self.unsaved) if name in self.ledger.machines]
            gone = [name for name in sorted(self.unsaved) if name not in self.ledger.machines]
            self.store.write([self._record(name) for name in there], gone, epochs)
            self.unsaved.clear()
