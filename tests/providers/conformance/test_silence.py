"""A provider that hangs, or is none at all, is told in one sentence, and soon."""

import asyncio
import time
from dataclasses import replace

import pytest
from grpc_health.v1 import health, health_pb2_grpc
from timed_provider import timed

from models.errors import InputFault
from providers.conformance import run as kit
from providers.conformance.checks import CHECKS
from providers.conformance.settings import KitSettings
from providers.conformance.verdict import Broken, Check
from providers.server import SERVICE, CapacityServicer, serving
from providers.transport import Security, new_server
from providers.v1 import capacity_pb2_grpc as pb_grpc


async def never(*_arguments):
    await asyncio.Event().wait()


class Hangs(CapacityServicer):
    """Health and reflection are served; no call is answered."""

    Create = Configure = Drain = Delete = Get = never

    async def List(self, request, context):
        await never()
        yield


class OnlyListHangs(CapacityServicer):
    List = Hangs.List


async def conformed(servicer, checks=CHECKS, machines=None):
    server = new_server()
    if servicer is not None:
        pb_grpc.add_CapacityProviderServicer_to_server(servicer, server)
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        settings = KitSettings(int(time.time() * 1000), machines, seconds=2.0)
        return await kit.conform(f"127.0.0.1:{port}", Security(), settings, checks)
    finally:
        await server.stop(None)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """Let calls of the kit run out of time at once."""
    plain = kit.RemoteProvider
    monkeypatch.setattr(
        kit, "RemoteProvider", lambda *names, **_: plain(*names, call_seconds=0.1, list_seconds=0.1)
    )


def test_one_that_hangs_is_asked_nothing_more():
    report = asyncio.run(conformed(Hangs(timed())))
    said = "the provider hangs: no answer to Get within 0.1 s; health: NOT_FOUND"
    assert {result.what for result in report.results} == {said}
    assert len(report.results) == len(CHECKS)
    assert not report.is_proved


def test_one_that_begins_to_hang_is_asked_whether_it_does_after_three_checks():
    async def run():
        servicer = Hangs(timed())
        servicer.List = CapacityServicer(servicer.provider).List
        names = ("newer-caller", "unknown-get", "unknown-machine", "without-a-sender")
        names += ("malformed-order",)
        checks = [check for check in CHECKS if check.name in names]
        return await conformed(servicer, checks)

    report = asyncio.run(run())
    verdicts = [result.verdict for result in report.results]
    assert verdicts == ["failed", "failed", "failed", "skipped", "skipped"]
    assert "the provider hangs" in report.results[-1].what


def test_where_only_the_list_hangs_the_others_are_tried():
    names = ("list-whole", "list-pages", "list-columns", "unknown-get")
    checks = [check for check in CHECKS if check.name in names]
    report = asyncio.run(conformed(OnlyListHangs(timed()), checks, "x*"))
    verdicts = [result.verdict for result in report.results]
    assert verdicts == ["failed", "failed", "failed", "passed"]


def test_checks_that_are_late_now_and_then_are_not_a_provider_that_hangs(monkeypatch):
    monkeypatch.setattr(kit, "_why_silent", None)

    async def late(ground):
        raise Broken("an answer", "DEADLINE_EXCEEDED: late")

    checks = [Check("late", "It is late.", late)]
    fine = next(check for check in CHECKS if check.name == "unknown-get")
    order = [*checks, *checks, fine, *checks, *checks]

    async def run():
        async with serving(timed()) as port:
            settings = KitSettings(int(time.time() * 1000), seconds=2.0)
            return await kit.conform(f"127.0.0.1:{port}", Security(), settings, order)

    verdicts = [result.verdict for result in asyncio.run(run()).results]
    assert verdicts == ["failed", "failed", "passed", "failed", "failed"]


def test_a_server_without_the_service_is_told_in_one_sentence():
    with pytest.raises(InputFault) as caught:
        asyncio.run(conformed(None))
    [fault] = caught.value.faults
    assert str(fault).endswith(f"a gRPC server answers, but it does not serve {SERVICE}.")


def test_one_without_a_list_is_a_provider_all_the_same():
    class NoList(CapacityServicer):
        List = pb_grpc.CapacityProviderServicer.List

    checks = [check for check in CHECKS if check.name in ("list-whole", "unknown-get")]
    report = asyncio.run(conformed(NoList(timed()), checks))
    assert [result.verdict for result in report.results] == ["failed", "passed"]


def test_nothing_is_proved_by_what_is_skipped():
    report = kit.Report()
    assert not report.is_proved
    check = CHECKS[0]
    report.results = [kit.Result(check, kit.Verdict.SKIPPED, "")]
    assert not report.is_proved
    report.results.append(kit.Result(check, kit.Verdict.PASSED, ""))
    assert report.is_proved
    report.results.append(replace(report.results[0], verdict=kit.Verdict.FAILED))
    assert not report.is_proved
