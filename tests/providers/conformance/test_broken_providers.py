"""Each way of being wrong, one at a time, fails its own lines of the kit and no others."""

import asyncio
import time
from dataclasses import dataclass, field, replace

import pytest
from timed_provider import METAL, Timed, timed, world

from models.failure import FailureClass
from models.machine import STABLE, State
from providers.columns import columns_of
from providers.conformance.checks import load
from providers.conformance.run import conform
from providers.conformance.settings import KitSettings
from providers.contract.begin import Begin
from providers.contract.fencing import Fences, Owner
from providers.contract.ledger import Ledger
from providers.listing import ListEnd, Page
from providers.machine import Failure, Machine, Refusal
from providers.orders import Ack, ConfigureOrder, CreateOrder, DrainOrder
from providers.port import Found
from providers.server import serving
from providers.transport import Security

# One group, so that all the runs are made once, together.
pytestmark = pytest.mark.xdist_group("broken-providers")

AT_A_TIME = 8


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


class Lags(Wrapped):
    """Get does not know yet what the answer to the order has told."""

    async def get(self, machines):
        found = await super().get(machines)
        some = (
            replace(m, state=State.IDLE, cluster="") if m.state is State.CONFIGURING else m
            for m in found.machines
        )
        return Found(tuple(some), found.unknown)


class LeavesTheTable(Wrapped):
    async def get(self, machines):
        found = await super().get(machines)
        shown = {State.DELETING: State.CREATING}
        some = (replace(m, state=shown.get(m.state, m.state)) for m in found.machines)
        return Found(tuple(some), found.unknown)


def replace_page(page, **changed):
    fields = {"machines": page.machines, "gone": page.gone, "end": page.end} | changed
    return Page(**fields)


def made(kind=Ledger, fences=Fences, wrapped=Wrapped, work=None):
    """Give a provider with a fault in what it does, in whom it hears, or in what it tells."""
    machines = world()
    machines["x0"] = Machine("x0", State.IDLE, METAL, shard="s9", host="rack-x")
    plain = timed(machines, work or Timed(seconds=0.01))
    ledger = kind("timed", machines, plain.work, time.time, fences())
    plain.work.ledger = ledger
    return wrapped(ledger)


def slow():
    """Give work that runs on until repeats have come, on a machine that is busy."""
    return Timed(seconds=0.4)


TWICE = {"create-repeats", "deadline", "callers"}
CHANGES = {"list-changes", "list-while-changing"}
TIMEOUTS = {"timeout-create", "timeout-configure"}
LISTS = {"list-whole", "list-pages", "list-columns", "list-shard", "list-lost-cursor"}

SAME = {f"{what}-repeats" for what in ("create", "configure", "drain", "delete")}

FAULTS = {
    "a newer epoch buys again": (
        lambda: made(EpochBuys, work=slow()),
        {"create-repeats"},
    ),
    "buys what is there": (lambda: made(BuysWhatIsThere), {"create-repeats"}),
    "does what it refuses": (lambda: made(DoesWhatItRefuses), {"configure-conflict"}),
    "notes what it refuses": (lambda: made(NotesWhatItRefuses), {"wrong-state"}),
    "Get lags behind": (lambda: made(wrapped=Lags), {"life"}),
    "a released machine has a cluster": (lambda: made(KeepsCluster), {"timeout-configure"}),
    "a shorter grace is another operation": (lambda: made(ShortensAnew), {"grace-shorter"}),
    "the same sequence is stale": (
        lambda: made(fences=SameIsStale),
        SAME | {"stale-sequence", "batch", "deadline", "callers"},
    ),
    "reservation not listed": (lambda: made(wrapped=ListsNoReservation), {"tags"}),
    "FAILED from nowhere": (lambda: made(wrapped=FailsFromNowhere), TIMEOUTS),
    "lists only what rests": (
        lambda: made(wrapped=ListsWhatRests, work=slow()),
        {"list-while-changing"},
    ),
    "a cursor is good once": (lambda: made(wrapped=CursorOnce), {"list-changes"}),
    "callers race": (lambda: made(wrapped=Races, work=slow()), {"callers"}),
    "repeats buy twice": (lambda: made(BuysTwice, work=slow()), TWICE),
    "a longer grace lengthens": (lambda: made(Lengthens), {"grace-longer"}),
    "a shorter grace is ignored": (lambda: made(NeverShortens), {"grace-shorter"}),
    "FAILED without a reason": (lambda: made(FailsSilently), TIMEOUTS),
    "never gives up": (lambda: made(work=Timed(seconds=0.01, times_out=60.0)), TIMEOUTS),
    "another cluster takes it over": (lambda: made(wrapped=AnyCluster), {"configure-conflict"}),
    "another need takes it over": (
        lambda: made(wrapped=AnyNeed, work=slow()),
        {"create-conflict"},
    ),
    "deletes what serves": (lambda: made(DeletesWhatServes), {"wrong-state"}),
    "keeps the host of a slot": (lambda: made(KeepsHost), {"life"}),
    "a retry is the old operation": (lambda: made(KeepsFailedBusy), {"timeout-configure"}),
    "deletes bare metal": (lambda: made(NoBareMetal), {"delete-fixed"}),
    "hears an old epoch": (lambda: made(fences=AnyEpoch), {"stale-epoch"}),
    "fences compared per shard": (lambda: made(fences=PerShard), {"sequence-per-machine"}),
    "epochs compared over shards": (lambda: made(fences=OneEpochForAll), {"new-owner"}),
    "hears an old sequence": (lambda: made(fences=AnySequence), {"stale-sequence"}),
    "hears an old version": (
        lambda: made(fences=AnyVersion),
        {"stale-version", "other-owner", "new-owner"},
    ),
    "hears another shard": (lambda: made(fences=AnyOwner), {"other-owner"}),
    "one bad order refuses all": (lambda: made(wrapped=BatchWhole), {"batch"}),
    "a List without an end": (lambda: made(wrapped=NoEnd), LISTS),
    "changes without an end": (lambda: made(wrapped=NoEndOfChanges), CHANGES),
    "a partial List says full": (lambda: made(wrapped=Partial), {"list-whole"}),
    "a machine twice in a List": (
        lambda: made(wrapped=Twice),
        LISTS - {"list-shard", "list-lost-cursor"} | {"list-while-changing"},
    ),
    "a cursor loses a change": (lambda: made(wrapped=LosesChange), CHANGES),
    "a lost cursor is no change": (lambda: made(wrapped=NeverFull), {"list-lost-cursor"}),
    "lists what others own": (lambda: made(wrapped=AllShards), {"list-shard"}),
    "leaves out what nobody owns": (lambda: made(wrapped=NobodysLeftOut), {"list-shard"}),
    "columns say otherwise": (lambda: made(wrapped=OddColumns), {"list-columns"}),
    "Get makes up a machine": (lambda: made(wrapped=MadeUp), {"unknown-get"}),
    "an order makes up a machine": (lambda: made(wrapped=MadeUpAcks), {"unknown-machine"}),
    "a conflict is INTERNAL": (
        lambda: made(wrapped=VagueRefusals, work=slow()),
        {"create-conflict", "configure-conflict"},
    ),
    "price 0 for unknown": (lambda: made(wrapped=FreeUnknown), {"price"}),
    "reservation dropped": (lambda: made(wrapped=NoReservation), {"tags"}),
    "one revision for ever": (lambda: made(wrapped=OneRevision), {"revision"}),
    "tells the blob": (lambda: made(wrapped=Told), {"secret"}),
    "leaves the table": (lambda: made(wrapped=LeavesTheTable), {"life"}),
}


@pytest.fixture(scope="module")
def reports(request):
    """Run the kit against those that are asked for, together: each mostly waits."""
    asked = {item.callspec.params["fault"] for item in request.session.items if _is_of(item)}

    async def run(make, turns):
        async with turns, serving(make()) as port:
            settings = KitSettings(int(time.time() * 1000), seconds=4.0)
            return await conform(f"127.0.0.1:{port}", Security(), settings)

    async def run_all():
        turns = asyncio.Semaphore(AT_A_TIME)
        runs = {fault: run(FAULTS[fault][0], turns) for fault in FAULTS if fault in asked}
        return dict(zip(runs, await asyncio.gather(*runs.values()), strict=True))

    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"CALLERS": 10, "MOST_ORDERS": 20, "BIG_BYTES": 2**14}.items():
            patch.setattr(load, name, value)
        return asyncio.run(run_all())


def _is_of(item):
    return getattr(item, "function", None) is test_a_fault_fails_its_own_lines


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fails_its_own_lines(fault, reports):
    failed = {each.check.name: each.what for each in reports[fault].failed}
    assert set(failed) == FAULTS[fault][1], failed
    assert all("expected " in what and "; saw " in what for what in failed.values())
