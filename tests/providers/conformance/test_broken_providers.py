"""Each way of being wrong, one at a time, fails its own lines of the kit and no others."""

import asyncio
import time

import pytest
from hypothesis import settings
from timed_provider import METAL, Timed, timed, world

from models.machine import State
from providers.conformance.checks import CHECKS, limits, load
from providers.conformance.run import conform
from providers.conformance.settings import KitSettings
from providers.contract.fencing import Fences
from providers.contract.ledger import Ledger
from providers.machine import Machine
from providers.server import serving
from providers.transport import Security
from tests.providers.conformance.broken_answers import (
    AllShards,
    AnyCluster,
    AnyNeed,
    BatchWhole,
    CursorOnce,
    FailsFromNowhere,
    FreeUnknown,
    HidesMoved,
    Lags,
    LeavesTheTable,
    ListsNoReservation,
    ListsWhatRests,
    LosesChange,
    MadeUp,
    MadeUpAcks,
    NeverFull,
    NobodysLeftOut,
    NoEnd,
    NoEndOfChanges,
    NoReservation,
    OddColumns,
    OneRevision,
    Partial,
    Races,
    Told,
    Twice,
    VagueRefusals,
    Wrapped,
)
from tests.providers.conformance.broken_ledgers import (
    AnyEpoch,
    AnyOwner,
    AnySequence,
    AnyVersion,
    BuysTwice,
    BuysWhatIsThere,
    DeletesWhatServes,
    DoesWhatItRefuses,
    EpochBuys,
    FailsSilently,
    KeepsCluster,
    KeepsFailedBusy,
    KeepsHost,
    Lengthens,
    NeverShortens,
    NoBareMetal,
    NotesWhatItRefuses,
    OneEpochForAll,
    PerShard,
    SameIsStale,
    ShortensAnew,
)

# One group, so that all the runs are made once, together.
pytestmark = pytest.mark.xdist_group("broken-providers")

AT_A_TIME = 8

SAMPLE = 1 if settings.get_current_profile_name() == "soak" else 3
"""Each fault meets its own lines and one in so many of the others; the next fault the next ones."""


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
CHANGES = {"list-changes", "list-moved", "list-while-changing"}
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
    "Get lags behind": (lambda: made(wrapped=Lags, work=Timed(seconds=0.1)), {"life"}),
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
    "hides what another shard took": (lambda: made(wrapped=HidesMoved), {"list-moved"}),
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
    "leaves the table": (lambda: made(wrapped=LeavesTheTable, work=Timed(seconds=0.1)), {"life"}),
}


@pytest.fixture(scope="module")
def reports(request):
    """Run the kit against those that are asked for, together: each mostly waits."""
    asked = {item.callspec.params["fault"] for item in request.session.items if _is_of(item)}

    async def run(fault, turns):
        make, lines = FAULTS[fault]
        first = list(FAULTS).index(fault)
        checks = [
            check
            for at, check in enumerate(CHECKS)
            if check.name in lines or (at + first) % SAMPLE == 0
        ]
        async with turns, serving(make()) as port:
            options = KitSettings(int(time.time() * 1000), seconds=4.0)
            return await conform(f"127.0.0.1:{port}", Security(), options, checks)

    async def run_all():
        turns = asyncio.Semaphore(AT_A_TIME)
        runs = {fault: run(fault, turns) for fault in FAULTS if fault in asked}
        return dict(zip(runs, await asyncio.gather(*runs.values()), strict=True))

    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"CALLERS": 10, "MOST_ORDERS": 20, "BIG_BYTES": 2**14}.items():
            patch.setattr(load, name, value)
        patch.setattr(limits, "REPEATS", 40)
        return asyncio.run(run_all())


def _is_of(item):
    return getattr(item, "function", None) is test_a_fault_fails_its_own_lines


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fails_its_own_lines(fault, reports):
    failed = {each.check.name: each.what for each in reports[fault].failed}
    assert set(failed) == FAULTS[fault][1], failed
    assert all("expected " in what and "; saw " in what for what in failed.values())
