"""A provider that keeps its machines here and has its work done elsewhere."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace

from models.failure import FailureClass
from models.machine import State
from providers.contract.begin import TARGETS, Begin, Standing
from providers.contract.desk import answered
from providers.contract.fencing import Fences, Owner
from providers.listing import ListEnd, Page
from providers.machine import Failure, Machine
from providers.orders import (
    OPERATION_OF,
    Ack,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Fence,
    Order,
)
from providers.port import Found

_RESTS = {running: rests for running, rests in TARGETS.values()}
_WITHOUT_CLUSTER = frozenset({State.IDLE, State.SPECULATIVE})


@dataclass
class Ledger:
    """Keeps the port for whoever can begin the work of an order and say when it is over.

    Attributes
    ----------
    work
        Begins the work of an order on a machine that is in transition already, and returns at once:
        None, or why it cannot be done; then the machine is as it was. A drain that is shortened
        comes here again, with its new grace.
    clock
        Seconds since 1970.
    graces
        When the grace of the last drain of a machine is over, on that clock.
    gone
        The revision at which a machine was withdrawn.
    moved
        The revision at which a machine last went to another owner.

    What is kept is kept in memory. Who has storage writes each change of ``machines`` and of
    ``fences`` to it before ``work`` begins, and hands both back after a restart.
    """

    name: str
    machines: dict[str, Machine]
    work: Callable[[Order, Machine], Failure | None]
    clock: Callable[[], float]
    fences: Fences = field(default_factory=Fences)
    graces: dict[str, float] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    revision: int = 0
    era: str = field(init=False)
    """Tells cursors of this run from those of an earlier one, which are not known any more."""

    def __post_init__(self) -> None:
        self.era = repr(self.clock())

    def ended(self, machine: Machine, host: str = "") -> None:
        """Say that the transition of a machine is over; ``host`` is the name of a new one.

        ``machine`` is what ``work`` was given: news of an operation that does not run any more come
        too late, here and in ``failed``.
        """
        known = self._running(machine)
        if known is None or known.state is None:
            return
        rests = _RESTS[known.state]
        known = self._as(known, rests)
        if rests in _WITHOUT_CLUSTER:
            known = replace(known, cluster="")
        bound = "" if rests is State.SPECULATIVE else host or known.host
        self.put(replace(known, host=bound, estimated_ready=None))

    def failed(self, machine: Machine, message: str) -> None:
        """Say that the transition of a machine went wrong, or took too long."""
        known = self._running(machine)
        if known is None:
            return
        failure = Failure(FailureClass.INTERNAL, message, self.clock())
        known = replace(self._as(known, State.FAILED), failed_from=known.state)
        self.put(replace(known, last_failure=failure, estimated_ready=None))

    def put(self, machine: Machine) -> None:
        """Keep a machine as it is now; one that has not changed stays at its revision."""
        before = self.machines.get(machine.id)
        if machine != before:
            self.revision += 1
            if before is not None and machine.shard != before.shard:
                self.moved[machine.id] = self.revision
            self.machines[machine.id] = replace(machine, revision=self.revision)
            # One that had been withdrawn is there again.
            self.gone.pop(machine.id, None)

    def withdraw(self, machine: str) -> None:
        """Take a machine out of what is listed."""
        del self.machines[machine]
        self.moved.pop(machine, None)
        self.revision += 1
        self.gone[machine] = self.revision

    def standing(self, machine: str) -> tuple[Standing, Owner] | None:
        """See ``Books``."""
        known = self.machines.get(machine)
        if known is None:
            return None
        standing = Standing(
            known.state,
            known.kind.capacity_type,
            known.cluster,
            known.reservation,
            known.failed_from,
            max(self.graces.get(machine, 0.0) - self.clock(), 0.0),
        )
        return standing, Owner(known.shard, known.ownership_version)

    def snapshot(self, machine: str) -> Machine | None:
        """See ``Books``."""
        return self.machines.get(machine)

    def act(self, order: Order, begin: Begin, fence: Fence) -> Failure | None:
        """See ``Books``."""
        before, grace = self.machines[order.machine], self.graces.get(order.machine)
        known = replace(before, shard=fence.shard, ownership_version=order.ownership_version)
        is_kept = begin is Begin.REPEAT and not isinstance(order, DrainOrder)
        if not isinstance(order, DeleteOrder) and not is_kept:
            known = replace(known, reservation=order.reservation)
        if begin is Begin.RELEASE:
            known = replace(self._as(known, State.IDLE), cluster="")
        if begin is Begin.NEW:
            known = self._begun(known, order)
        begins = begin in (Begin.NEW, Begin.SHORTEN)
        if begins and isinstance(order, DrainOrder):
            self.graces[order.machine] = self.clock() + order.grace_seconds
        self.put(known)
        failure = self.work(order, self.machines[order.machine]) if begins else None
        if failure is not None:
            self.put(replace(before, revision=self.machines[order.machine].revision))
            self.graces[order.machine] = grace or 0.0
        return failure

    def _begun(self, known: Machine, order: Order) -> Machine:
        """Give a machine on which a new operation begins."""
        known = self._as(known, TARGETS[OPERATION_OF[type(order)]][0])
        cluster = order.cluster if isinstance(order, ConfigureOrder) else known.cluster
        operation = f"{order.machine}#{self.revision + 1}"
        return replace(known, operation=operation, cluster=cluster, last_failure=None)

    def _running(self, machine: Machine) -> Machine | None:
        """Give a machine as it is now, None where the operation that it was at is over."""
        known = self.machines.get(machine.id)
        is_it = known is not None and known.operation == machine.operation
        return known if is_it and known is not None and known.state in _RESTS else None

    def _as(self, known: Machine, state: State) -> Machine:
        return replace(known, state=state, failed_from=None, state_since=self.clock())

    async def create(self, fence: Fence, orders: Sequence[CreateOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return answered(orders, fence, self.fences, self)

    async def configure(self, fence: Fence, orders: Sequence[ConfigureOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return answered(orders, fence, self.fences, self)

    async def drain(self, fence: Fence, orders: Sequence[DrainOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return answered(orders, fence, self.fences, self)

    async def delete(self, fence: Fence, orders: Sequence[DeleteOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return answered(orders, fence, self.fences, self)

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return Found(
            tuple(self.machines[name] for name in machines if name in self.machines),
            tuple(name for name in machines if name not in self.machines),
        )

    async def list(
        self, cursor: str = "", *, shard: str = "", columnar: bool = False
    ) -> AsyncIterator[Page]:
        """See ``CapacityProvider``."""
        era, _, seen = cursor.rpartition(":")
        is_full = era != self.era or not seen.isdecimal()
        since = 0 if is_full else int(seen)
        listed = tuple(
            machine
            for machine in self.machines.values()
            if (is_full or machine.revision > since)
            and (
                machine.shard in ("", shard or machine.shard)
                or (not is_full and self.moved.get(machine.id, 0) > since)
            )
        )
        gone = () if is_full else tuple(name for name, at in self.gone.items() if at > since)
        yield Page(listed, None, gone, ListEnd(f"{self.era}:{self.revision}", is_full))
