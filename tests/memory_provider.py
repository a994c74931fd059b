"""The plainest provider that keeps the port: a dictionary; transitions end when told to."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from models.machine import CapacityType, State
from providers.contract.begin import Begin, Standing
from providers.contract.desk import answered
from providers.contract.fencing import Fences, Owner
from providers.listing import ListEnd, Page
from providers.machine import Failure, Machine, MachineClass
from providers.orders import (
    Ack,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Fence,
    Order,
)
from providers.port import Found

SPOT = MachineClass(CapacityType.SPOT, "t", 1.5, 0.01, {"cpu": 8000})
ENDS_IN = {
    State.CREATING: State.IDLE,
    State.CONFIGURING: State.CONFIGURED,
    State.DRAINING: State.IDLE,
    State.DELETING: State.SPECULATIVE,
}
RUNS = {
    CreateOrder: State.CREATING,
    ConfigureOrder: State.CONFIGURING,
    DrainOrder: State.DRAINING,
    DeleteOrder: State.DELETING,
}


def slots(count: int, kind: MachineClass = SPOT) -> dict[str, Machine]:
    """Give speculative machines m0, m1, ..."""
    return {f"m{n}": Machine(f"m{n}", State.SPECULATIVE, kind) for n in range(count)}


@dataclass
class MemoryProvider:
    """``refuses`` gives the failure of the next Creates by machine; ``bought`` counts them."""

    machines: dict[str, Machine]
    name: str = "memory"
    fences: Fences = field(default_factory=Fences)
    graces: dict[str, float] = field(default_factory=dict)
    refuses: dict[str, Failure] = field(default_factory=dict)
    bought: dict[str, int] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    revision: int = 0

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
            self.graces.get(machine, 0.0),
        )
        return standing, Owner(known.shard, known.ownership_version)

    def snapshot(self, machine: str) -> Machine | None:
        """See ``Books``."""
        return self.machines.get(machine)

    def act(self, order: Order, begin: Begin, fence: Fence) -> Failure | None:
        """See ``Books``."""
        known = self.machines[order.machine]
        if begin is Begin.NEW and (failure := self.refuses.get(order.machine)):
            return failure
        known = replace(known, shard=fence.shard, ownership_version=order.ownership_version)
        if not isinstance(order, DeleteOrder) and begin is not Begin.REPEAT:
            known = replace(known, reservation=order.reservation)
        if isinstance(order, DrainOrder) and begin in (Begin.NEW, Begin.SHORTEN):
            self.graces[order.machine] = float(order.grace_seconds)
        if begin is Begin.NEW:
            self.bought[order.machine] = self.bought.get(order.machine, 0) + isinstance(
                order, CreateOrder
            )
            cluster = order.cluster if isinstance(order, ConfigureOrder) else known.cluster
            known = replace(
                known,
                state=RUNS[type(order)],
                cluster=cluster,
                failed_from=None,
                operation=f"op{self.revision + 1}",
            )
        if begin is Begin.RELEASE:
            known = replace(known, state=State.IDLE, cluster="", failed_from=None)
        self.put(known)
        return None

    def put(self, machine: Machine) -> None:
        """Keep a machine as it is now; one that has not changed stays at its revision."""
        if machine != self.machines.get(machine.id):
            self.revision += 1
            self.machines[machine.id] = replace(machine, revision=self.revision)

    def end(self, *machines: str) -> None:
        """Let the transitions of some machines end, by default of all."""
        for name in machines or tuple(self.machines):
            known = self.machines[name]
            ends = ENDS_IN.get(known.state)
            if ends is not None:
                host = "" if ends is State.SPECULATIVE else f"host-{name}"
                cluster = known.cluster if ends is State.CONFIGURED else ""
                self.put(replace(known, state=ends, host=host, cluster=cluster))

    def withdraw(self, machine: str) -> None:
        """Take a machine out of what is listed."""
        del self.machines[machine]
        self.revision += 1
        self.gone[machine] = self.revision

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
        since = int(cursor) if cursor else 0
        listed = [
            machine
            for machine in self.machines.values()
            if (not cursor or machine.revision > since)
            and machine.shard in ("", shard or machine.shard)
        ]
        gone = tuple(name for name, revision in self.gone.items() if cursor and revision > since)
        yield Page(tuple(listed), None, gone, ListEnd(str(self.revision), not cursor))
