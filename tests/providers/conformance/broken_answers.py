"""Providers with a fault in what they tell of a ledger that is right."""

import asyncio
from dataclasses import dataclass, field, replace

from timed_provider import METAL

from models.failure import FailureClass
from models.machine import STABLE, State
from providers.columns import columns_of
from providers.contract.ledger import Ledger
from providers.listing import ListEnd, Page
from providers.machine import Failure, Machine, Refusal
from providers.orders import Ack
from providers.port import Found


@dataclass
class Wrapped:
    """A ledger as it is; each fault changes one of these."""

    ledger: Ledger

    @property
    def name(self):
        return "wrapped"

    async def create(self, fence, orders):
        return self.told(await self.ledger.create(fence, orders))

    async def configure(self, fence, orders):
        return self.told(await self.ledger.configure(fence, orders))

    async def drain(self, fence, orders):
        return self.told(await self.ledger.drain(fence, orders))

    async def delete(self, fence, orders):
        return self.told(await self.ledger.delete(fence, orders))

    def told(self, acks):
        return [
            replace(ack, snapshot=ack.snapshot and self.seen(ack.snapshot)) if ack.snapshot else ack
            for ack in acks
        ]

    async def get(self, machines):
        found = await self.ledger.get(machines)
        return Found(tuple(map(self.seen, found.machines)), found.unknown)

    async def list(self, cursor="", *, shard="", columnar=False):
        async for page in self.ledger.list(cursor, shard=shard):
            yield self.page(replace(page, machines=tuple(map(self.seen, page.machines))), columnar)

    def seen(self, machine):
        return machine

    def page(self, page, columnar):
        return page


# What is told.


class AnyCluster(Wrapped):
    """A machine that serves one cluster is as good as serving another."""

    async def configure(self, fence, orders):
        known = self.ledger.machines
        heard = [
            replace(order, cluster=known[order.machine].cluster)
            if order.machine in known and known[order.machine].state is State.CONFIGURED
            else order
            for order in orders
        ]
        return await super().configure(fence, heard)


class AnyNeed(Wrapped):
    """A Create that runs for one need is as good as running for another."""

    async def create(self, fence, orders):
        known = self.ledger.machines
        heard = [
            replace(order, reservation=known[order.machine].reservation)
            if order.machine in known and known[order.machine].state is State.CREATING
            else order
            for order in orders
        ]
        return await super().create(fence, heard)


class BatchWhole(Wrapped):
    def told(self, acks):
        bad = next((ack.failure for ack in acks if ack.failure), None)
        return super().told(acks if bad is None else [replace(a, failure=bad) for a in acks])


class NoEnd(Wrapped):
    def page(self, page, columnar):
        return replace_page(page, end=None)


class NoEndOfChanges(Wrapped):
    def page(self, page, columnar):
        return page if page.end.is_full else replace_page(page, end=None)


@dataclass
class Partial(Wrapped):
    """The third List lacks a machine, and says that it is full."""

    lists: int = field(default=0)

    def page(self, page, columnar):
        self.lists += page.end.is_full
        if not page.end.is_full or self.lists != 3:
            return page
        return replace_page(page, machines=tuple(m for m in page.machines if m.id != "un"))


class LosesChange(Wrapped):
    def page(self, page, columnar):
        return page if page.end.is_full else replace_page(page, machines=page.machines[:-1])


class NeverFull(Wrapped):
    async def list(self, cursor="", *, shard="", columnar=False):
        if cursor.startswith("bigfleet-conformance"):
            yield Page(end=ListEnd(cursor, False))
            return
        async for page in super().list(cursor, shard=shard):
            yield page


class AllShards(Wrapped):
    async def list(self, cursor="", *, shard="", columnar=False):
        async for page in super().list(cursor):
            yield page


class HidesMoved(Wrapped):
    """What another shard took is in no List of changes for the owner before."""

    async def list(self, cursor="", *, shard="", columnar=False):
        async for page in super().list(cursor, shard=shard):
            some = tuple(m for m in page.machines if m.shard in ("", shard or m.shard))
            yield replace_page(page, machines=some)


class NobodysLeftOut(Wrapped):
    async def list(self, cursor="", *, shard="", columnar=False):
        async for page in super().list(cursor, shard=shard):
            some = tuple(m for m in page.machines if not shard or m.shard)
            yield replace_page(page, machines=some)


class OddColumns(Wrapped):
    def page(self, page, columnar):
        if not columnar:
            return page
        odd = [replace(m, kind=replace(m.kind, price_per_hour=0.0)) for m in page.machines]
        return Page((), columns_of(odd), page.gone, page.end)


class Twice(Wrapped):
    def page(self, page, columnar):
        return replace_page(page, machines=(*page.machines, *page.machines[:1]))


class MadeUp(Wrapped):
    async def get(self, machines):
        found = await super().get(machines)
        made = (Machine(name, State.SPECULATIVE, METAL) for name in found.unknown)
        return Found((*found.machines, *made), ())


class MadeUpAcks(Wrapped):
    def told(self, acks):
        return [
            Ack(
                ack.machine,
                snapshot=Machine(ack.machine, State.SPECULATIVE, METAL),
                failure=ack.failure,
            )
            if ack.failure and ack.failure.refusal is Refusal.UNKNOWN_MACHINE
            else ack
            for ack in acks
        ]


class VagueRefusals(Wrapped):
    """A conflict is told as what repeating may help against."""

    def told(self, acks):
        vague = Failure(FailureClass.INTERNAL, "went wrong.")
        return [
            replace(ack, failure=vague)
            if ack.failure and ack.failure.refusal is Refusal.CONFLICT
            else ack
            for ack in acks
        ]


class FreeUnknown(Wrapped):
    def seen(self, machine):
        price = machine.kind.price_per_hour or 0.0
        return replace(machine, kind=replace(machine.kind, price_per_hour=price))


class NoReservation(Wrapped):
    def seen(self, machine):
        return replace(machine, reservation="")


class NoOwner(Wrapped):
    def seen(self, machine):
        return replace(machine, ownership_version=0)


class ListsNoReservation(Wrapped):
    def page(self, page, columnar):
        return replace_page(page, machines=tuple(replace(m, reservation="") for m in page.machines))


class FailsFromNowhere(Wrapped):
    def seen(self, machine):
        return replace(machine, failed_from=None)


class ListsWhatRests(Wrapped):
    """Machines in transition are in no full List."""

    def page(self, page, columnar):
        some = tuple(m for m in page.machines if m.state in STABLE or m.state is State.FAILED)
        return replace_page(page, machines=some) if page.end.is_full else page


@dataclass
class CursorOnce(Wrapped):
    """What a cursor has given it gives no more."""

    given: set = field(default_factory=set)

    async def list(self, cursor="", *, shard="", columnar=False):
        async for page in super().list(cursor, shard=shard):
            yield replace_page(page, machines=()) if cursor in self.given else page
        if cursor:
            self.given.add(cursor)


@dataclass
class Races(Wrapped):
    """Looks, waits, and buys: who looks meanwhile buys too, where there is a crowd."""

    waiting: int = 0

    async def create(self, fence, orders):
        known = self.ledger.machines
        looked = [known.get(order.machine) for order in orders]
        self.waiting += 1
        await asyncio.sleep(0.02)
        is_crowd, self.waiting = self.waiting > 2, self.waiting - 1
        if is_crowd:
            for machine in looked:
                self.ledger.put(replace(known[machine.id], state=machine.state))
        return await super().create(fence, orders)


class OneRevision(Wrapped):
    def seen(self, machine):
        return replace(machine, revision=1)


@dataclass
class Told(Wrapped):
    """The bootstrap blob ends in a label."""

    blob: str = ""

    async def configure(self, fence, orders):
        self.blob = orders[0].user_data.decode()
        return await super().configure(fence, orders)

    def seen(self, machine):
        return replace(machine, labels={**machine.labels, "user-data": self.blob})


@dataclass
class Lags(Wrapped):
    """The first Get does not know yet what the answer to the order has told."""

    known: set = field(default_factory=set)

    async def get(self, machines):
        found = await super().get(machines)
        return Found(tuple(map(self.late, found.machines)), found.unknown)

    def late(self, machine):
        if machine.state is not State.CONFIGURING or machine.operation in self.known:
            return machine
        self.known.add(machine.operation)
        return replace(machine, state=State.IDLE, cluster="")


class LeavesTheTable(Wrapped):
    async def get(self, machines):
        found = await super().get(machines)
        shown = {State.DELETING: State.CREATING}
        some = (replace(m, state=shown.get(m.state, m.state)) for m in found.machines)
        return Found(tuple(some), found.unknown)


def replace_page(page, **changed):
    fields = {"machines": page.machines, "gone": page.gone, "end": page.end} | changed
    return Page(**fields)
