"""The kit passes on providers that keep the contract, over gRPC, and leaves them as they were."""

import asyncio
import time
from dataclasses import replace

import pytest
from timed_provider import METAL, SPOT, timed, world

from models.machine import CapacityType, MachineRow, State
from models.rows import FleetRows
from providers.calls import AsCalls, AsProvider
from providers.conformance.checks import CHECKS
from providers.conformance.ground import chosen_of
from providers.conformance.run import conform
from providers.conformance.settings import KitSettings
from providers.conformance.verdict import Verdict
from providers.fanout.bindings import SqliteBindings
from providers.fanout.provider import Fanout
from providers.machine import Health, Machine
from providers.server import serving
from providers.simulated.cloud import SimulatedCloud
from providers.simulated.knobs import Knobs
from providers.simulated.provider import SimulatedProvider
from providers.transport import Security

LABEL = "bigfleet.dev/conformance"


async def conformed(provider, most=8):
    settings = KitSettings(int(time.time() * 1000), most=most, seconds=20.0)
    async with serving(provider) as port:
        return await conform(f"127.0.0.1:{port}", Security(), settings)


async def states(provider):
    pages = [page async for page in provider.list()]
    return {machine.id: machine.state for page in pages for machine in page.machines}


def told_of(report, verdict):
    return {each.check.name: each.what for each in report.results if each.verdict is verdict}


def simulated(**knobs):
    roles = {"hang-create": "hc", "hang-configure": "hf", "unpriced": "un"}
    slots = [
        MachineRow(f"m{n}", CapacityType.SPOT, price_per_hour=1.5, shard="") for n in range(70)
    ]
    metal = MachineRow(
        "r0", CapacityType.BARE_METAL, state=State.IDLE, host_ref="rack", shard="", price_per_hour=0
    )
    special = [
        MachineRow(name, CapacityType.SPOT, labels={LABEL: role}, shard="")
        for role, name in roles.items()
    ]
    hangs = [
        {"rpc": "create", "match": {"id": "hc"}, "class": "hang"},
        {"rpc": "configure", "match": {"id": "hf"}, "class": "hang"},
    ]
    told = dict.fromkeys(("create", "configure", "drain", "delete"), 0.05) | knobs
    timeouts = {"create": 0.3, "configure": 0.3}
    read = Knobs.model_validate({"fail": hangs, "timeouts": timeouts} | told)
    rows = FleetRows(machines=(*slots, metal, *special))
    return SimulatedProvider(SimulatedCloud.of(rows, "default", read, 0, time.time()), time.time)


def test_a_ledger_passes_and_is_as_it_was():
    async def run():
        ledger = timed()
        before = await states(ledger)
        report = await conformed(ledger)
        assert await states(ledger) == before
        return report

    report = asyncio.run(run())
    assert told_of(report, Verdict.FAILED) == {}
    skipped = told_of(report, Verdict.SKIPPED)
    assert skipped.pop("list-columns") == "it sends rows only, as it may"
    # Over by then, where the machine is busy.
    assert set(skipped) <= {"create-conflict"}
    assert [each.check.name for each in report.results] == [check.name for check in CHECKS]
    assert report.left == {}
    assert set(report.used) == {*(f"m{n}" for n in range(6)), "r0", "hc", "hf"}


def test_a_simulated_cloud_passes_and_is_as_it_was():
    async def run():
        provider = simulated()
        before = await states(provider)
        report = await conformed(provider, most=64)
        assert await states(provider) == before
        return report

    report = asyncio.run(run())
    assert told_of(report, Verdict.FAILED) == {}
    # What takes 0.05 s may be over by then.
    skipped = set(told_of(report, Verdict.SKIPPED))
    assert skipped <= {"grace-shorter", "grace-longer", "create-conflict"}
    assert report.left == {}
    assert len([name for name in report.used if name.startswith("m")]) == 64


def test_a_fan_out_over_two_accounts_passes_and_is_as_it_was():
    async def run():
        accounts = {name: AsCalls(timed(world(3))) for name in ("a", "b")}
        provider = AsProvider(Fanout("both", accounts, SqliteBindings(":memory:")))
        before = await states(provider)
        report = await conformed(provider)
        assert await states(provider) == before
        return report

    report = asyncio.run(run())
    assert told_of(report, Verdict.FAILED) == {}
    assert set(told_of(report, Verdict.SKIPPED)) <= {"list-columns", "create-conflict"}
    assert report.left == {}
    assert {name[0] for name in report.used} == {"a", "b"}


def test_a_cloud_that_throttles_passes():
    report = asyncio.run(conformed(simulated(rate={"calls": 100, "machines": 100, "burst": 40})))
    assert told_of(report, Verdict.FAILED) == {}
    assert report.left == {}


def test_bare_metal_passes_without_a_delete():
    machines = {name: each for name, each in world(0, 3).items() if name.startswith("r")}
    report = asyncio.run(conformed(timed(machines)))
    assert told_of(report, Verdict.FAILED) == {}
    skipped = set(told_of(report, Verdict.SKIPPED))
    assert skipped == {
        "list-columns",
        "create-repeats",
        "delete-repeats",
        "create-conflict",
        "timeout-create",
        "timeout-configure",
    }


@pytest.mark.parametrize("machines", [{}, {"un": world()["un"]}])
def test_without_machines_what_needs_them_says_so(machines):
    report = asyncio.run(conformed(timed(machines)))
    assert told_of(report, Verdict.FAILED) == {}
    assert "machine" in told_of(report, Verdict.SKIPPED)["life"]
    assert report.used == []


def test_bare_metal_is_commissioned_only_where_it_is_named():
    async def run(machines):
        slots = {
            name: Machine(name, State.SPECULATIVE, METAL) for name in ("r0", "r1", "r2", "r3", "r4")
        }
        settings = KitSettings(int(time.time() * 1000), machines, seconds=20.0)
        async with serving(timed(slots)) as port:
            return await conform(f"127.0.0.1:{port}", Security(), settings)

    unnamed, named = asyncio.run(run(None)), asyncio.run(run("r?"))
    assert unnamed.used == []
    assert told_of(named, Verdict.FAILED) == {}
    assert {"life", "create-repeats", "delete-fixed"} <= set(told_of(named, Verdict.PASSED))
    assert set(named.left.values()) == {"it was made real, and has no Delete"}


def test_machines_of_other_shards_and_dead_or_leaving_ones_are_left_alone():
    slot = world()["m0"]
    odd = [
        replace(slot, id="owned", shard="s0"),
        replace(slot, id="dead", health=Health.DEAD),
        replace(slot, id="leaving", reclaim_at=1.0),
        replace(slot, id="serves", state=State.CONFIGURED, host="h", cluster="c"),
        replace(slot, id="hangs", labels={LABEL: "hang-create"}),
        replace(slot, id="other"),
        replace(slot, id="mine", shard="bigfleet-conformance"),
    ]
    settings = KitSettings(1, "[!o]*")
    assert [machine.id for machine in chosen_of(odd, settings, {"x"})] == ["mine"]
    assert [machine.id for machine in chosen_of(odd, KitSettings(1), {"mine"})] == ["other"]


def test_the_cheapest_are_chosen_and_no_more_than_may_be_real():
    prices = {"a": 3.0, "b": None, "c": 1.0, "d": 2.0}
    slots = [
        Machine(name, State.SPECULATIVE, replace(SPOT, price_per_hour=price))
        for name, price in prices.items()
    ]
    idle = [Machine(f"r{n}", State.IDLE, METAL) for n in range(4)]
    spot = Machine("s", State.IDLE, SPOT)
    chosen = chosen_of([spot, *slots, *idle], KitSettings(1, most=3), ())
    assert [machine.id for machine in chosen] == ["c", "d", "a", "r0", "r1"]
    chosen = chosen_of([spot, *slots, *idle], KitSettings(1, most=9), ())
    assert [machine.id for machine in chosen] == [*"cdab", "r0", "r1", "r2", "r3", "s"]
