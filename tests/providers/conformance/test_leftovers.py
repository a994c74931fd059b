"""What an earlier run, which was killed, has left is brought to rest before the checks."""

import asyncio
import time
from dataclasses import replace

import pytest
from timed_provider import METAL, SPOT, Timed, timed, world

from models.machine import State
from providers.conformance.checks import CHECKS
from providers.conformance.ground import KIT_SHARDS, RESERVATION
from providers.conformance.leftovers import rest_of
from providers.conformance.run import conform
from providers.conformance.settings import KitSettings
from providers.machine import Machine
from providers.server import serving
from providers.transport import Security

LIFE = [check for check in CHECKS if check.name == "life"]


def left(state, kind=SPOT, shard="bigfleet-conformance", **fields):
    return Machine("z", state, kind, shard=shard, ownership_version=3, **fields)


def conformed(machine, work=None, most=8, seconds=2.0):
    async def run():
        ledger = timed(world(2) | {machine.id: machine}, work or Timed())
        settings = KitSettings(int(time.time() * 1000), "m?", most=most, seconds=seconds)
        async with serving(ledger) as port:
            report = await conform(f"127.0.0.1:{port}", Security(), settings, LIFE)
        return report, ledger.machines["z"]

    return asyncio.run(run())


SERVES = {"host": "h", "cluster": "c", "reservation": RESERVATION}


@pytest.mark.parametrize(
    ("machine", "state", "named"),
    [
        (left(State.IDLE, host="h", reservation=RESERVATION), State.SPECULATIVE, ""),
        (left(State.FAILED, failed_from=State.CREATING), State.SPECULATIVE, ""),
        (left(State.FAILED, failed_from=State.DELETING, host="h"), State.SPECULATIVE, ""),
        (left(State.CONFIGURED, METAL, **SERVES), State.IDLE, ""),
        (left(State.FAILED, METAL, failed_from=State.CONFIGURING, **SERVES), State.IDLE, ""),
        (left(State.CONFIGURED, **SERVES), State.IDLE, "if that run has bought it, delete it"),
        (left(State.IDLE, host="h"), State.IDLE, ""),
        (left(State.CONFIGURED, shard="s0", **SERVES), State.CONFIGURED, ""),
        (left(State.FAILED, METAL, failed_from=State.CREATING), State.FAILED, "FAILED"),
    ],
)
def test_it_is_brought_to_rest_or_named(machine, state, named):
    report, after = conformed(machine)
    assert after.state is state
    assert list(report.earlier) == (["z"] if named else [])
    assert named in report.earlier.get("z", "")
    assert [result.verdict for result in report.results] == ["passed"]
    assert "z" not in report.used
    assert report.left == {}


def test_the_owners_of_the_kit_are_all_its_own():
    for shard in KIT_SHARDS:
        assert rest_of(left(State.CREATING, shard=shard)) is State.SPECULATIVE
    assert rest_of(left(State.CREATING, shard="")) is None
    assert rest_of(replace(left(State.DELETING), shard="bigfleet")) is None


def test_what_does_not_come_to_rest_in_time_is_named():
    report, _ = conformed(left(State.CREATING), seconds=0.2)
    assert report.earlier == {"z": "still CREATING after 0.2 s"}


def test_it_is_used_once_it_is_at_rest():
    async def run():
        ledger = timed({"z": left(State.FAILED, failed_from=State.CREATING)})
        settings = KitSettings(int(time.time() * 1000), "z", seconds=2.0)
        async with serving(ledger) as port:
            return await conform(f"127.0.0.1:{port}", Security(), settings, LIFE)

    report = asyncio.run(run())
    assert (report.used, report.earlier, report.left) == (["z"], {}, {})
