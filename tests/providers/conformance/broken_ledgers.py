"""Ledgers with a fault in what they do, and fences with one in whom they hear."""

from dataclasses import dataclass, field, replace

from timed_provider import world

from models.machine import State
from providers.contract.begin import Begin
from providers.contract.fencing import Fences, Owner
from providers.contract.ledger import Ledger
from providers.machine import Refusal
from providers.orders import ConfigureOrder, CreateOrder, DrainOrder

# What the ledger does.


class BuysTwice(Ledger):
    def act(self, order, begin, fence):
        runs = self.machines[order.machine].state is State.CREATING
        is_repeat = isinstance(order, CreateOrder) and begin is Begin.REPEAT and runs
        return super().act(order, Begin.NEW if is_repeat else begin, fence)


@dataclass
class EpochBuys(Ledger):
    """Keys are kept for an epoch only."""

    epochs: dict = field(default_factory=dict)

    def act(self, order, begin, fence):
        runs = self.machines[order.machine].state is State.CREATING
        is_repeat = isinstance(order, CreateOrder) and begin is Begin.REPEAT and runs
        is_newer = fence.epoch > self.epochs.get(order.machine, fence.epoch)
        self.epochs[order.machine] = fence.epoch
        return super().act(order, Begin.NEW if is_repeat and is_newer else begin, fence)


class BuysWhatIsThere(Ledger):
    def act(self, order, begin, fence):
        known = self.machines[order.machine]
        if isinstance(order, CreateOrder) and known.state is State.IDLE:
            self.put(replace(known, host=f"{known.host}-again"))
        return super().act(order, begin, fence)


class DoesWhatItRefuses(Ledger):
    """Refuses the other cluster, and notes it all the same."""

    async def configure(self, fence, orders):
        acks = await super().configure(fence, orders)
        for order, ack in zip(orders, acks, strict=True):
            if ack.failure is not None and ack.failure.refusal is Refusal.CONFLICT:
                self.put(replace(self.machines[order.machine], cluster=order.cluster))
        return acks


class NotesWhatItRefuses(Ledger):
    """Refuses a Create of what serves, and notes its reservation all the same."""

    async def create(self, fence, orders):
        acks = await super().create(fence, orders)
        for order, ack in zip(orders, acks, strict=True):
            if ack.failure is not None and ack.failure.refusal is Refusal.WRONG_STATE:
                self.put(replace(self.machines[order.machine], reservation="noted"))
        return acks


class KeepsCluster(Ledger):
    """One that is released still shows the cluster."""

    def act(self, order, begin, fence):
        before = self.machines[order.machine]
        failure = super().act(order, begin, fence)
        if begin is Begin.RELEASE:
            self.put(replace(self.machines[order.machine], cluster=before.cluster))
        return failure


class ShortensAnew(Ledger):
    """A shorter grace is another operation."""

    def act(self, order, begin, fence):
        return super().act(order, Begin.NEW if begin is Begin.SHORTEN else begin, fence)


class Lengthens(Ledger):
    def act(self, order, begin, fence):
        runs = self.machines[order.machine].state is State.DRAINING
        is_repeat = isinstance(order, DrainOrder) and begin is Begin.REPEAT and runs
        return super().act(order, Begin.SHORTEN if is_repeat else begin, fence)


class NeverShortens(Ledger):
    def act(self, order, begin, fence):
        return super().act(order, Begin.REPEAT if begin is Begin.SHORTEN else begin, fence)


class FailsSilently(Ledger):
    def failed(self, machine, message):
        super().failed(machine, message)
        self.put(replace(self.machines[machine.id], last_failure=None))


class DeletesWhatServes(Ledger):
    def standing(self, machine):
        known = super().standing(machine)
        if known is None or known[0].state is not State.CONFIGURED:
            return known
        return replace(known[0], state=self.shown), known[1]

    shown = State.CONFIGURED

    async def delete(self, fence, orders):
        self.shown = State.IDLE
        acks = await super().delete(fence, orders)
        self.shown = State.CONFIGURED
        return acks


class KeepsHost(Ledger):
    def ended(self, machine, host=""):
        before = self.machines[machine.id].host
        super().ended(machine, host)
        if self.machines[machine.id].state is State.SPECULATIVE:
            self.put(replace(self.machines[machine.id], host=before))


class KeepsFailedBusy(Ledger):
    """A Configure after FAILED is the old operation again."""

    def act(self, order, begin, fence):
        before = self.machines[order.machine]
        failure = super().act(order, begin, fence)
        if isinstance(order, ConfigureOrder) and before.state is State.FAILED:
            self.put(replace(self.machines[order.machine], operation=before.operation))
        return failure


class NoBareMetal(Ledger):
    """Bare metal is deleted like anything else."""

    def standing(self, machine):
        known = super().standing(machine)
        return known and (
            replace(known[0], capacity_type=world()["m0"].kind.capacity_type),
            *known[1:],
        )


# Whose orders are heard.


class AnyEpoch(Fences):
    def accept(self, fence, machine):
        super().accept(fence, machine)
        self.epochs.clear()


class PerShard(Fences):
    def refusal(self, fence, machine, version, owner):
        return super().refusal(fence, fence.shard, version, owner)

    def accept(self, fence, machine):
        super().accept(fence, fence.shard)


class OneEpochForAll(Fences):
    def refusal(self, fence, machine, version, owner):
        return super().refusal(
            replace(fence, shard="all"), machine, version, Owner("all", owner.version)
        ) or super().refusal(fence, machine, version, owner)

    def accept(self, fence, machine):
        super().accept(fence, machine)
        self.epochs["all"] = max(self.epochs.get("all", 0), fence.epoch)


class AnySequence(Fences):
    def accept(self, fence, machine):
        super().accept(fence, machine)
        self.machines.clear()


class SameIsStale(Fences):
    def refusal(self, fence, machine, version, owner):
        last = self.machines.get(machine)
        if last == fence:
            fence = replace(fence, sequence=fence.sequence - 1)
        return super().refusal(fence, machine, version, owner)


class AnyVersion(Fences):
    def refusal(self, fence, machine, version, owner):
        return super().refusal(fence, machine, max(version, owner.version + 1), owner)


class AnyOwner(Fences):
    def refusal(self, fence, machine, version, owner):
        return super().refusal(fence, machine, version, replace(owner, shard=""))
