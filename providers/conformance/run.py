"""Run the checks one after the other, and leave the provider as it was found."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from models.errors import Fault, InputFault, ProviderError, Unreachable, Unsupported
from providers.client import RemoteProvider
from providers.conformance.caller import Caller
from providers.conformance.checks import CHECKS
from providers.conformance.checks.refusals import NOBODY
from providers.conformance.ground import Ground
from providers.conformance.leftovers import cleared, rest_of
from providers.conformance.pool import restore
from providers.conformance.settings import KitSettings
from providers.conformance.verdict import Broken, CannotTell, Check, Result, Verdict
from providers.server import SERVICE
from providers.transport import Security, new_channel
from providers.v1 import capacity_pb2_grpc as pb_grpc

CONNECT_SECONDS = 10.0
"""Within which a provider must answer at all."""

LIST_SECONDS = 60.0
"""Within which a whole List must have come: some 5 s for 500,000 machines as rows."""

MOST_SILENT = 3
"""Checks in a row that run out of time before the provider is asked whether it hangs."""

_GONE = "the provider does not answer any more"
_SILENT = grpc.StatusCode.DEADLINE_EXCEEDED.name


@dataclass(slots=True)
class Report:
    """What came of a run.

    Attributes
    ----------
    used
        Machines that orders were sent for, sorted.
    left
        Those of them that are not as they were found, with the reason.
    earlier
        Machines that an earlier run left, and that somebody should look at, with the reason.
    """

    results: list[Result] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    earlier: dict[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> list[Result]:
        """Give the checks that failed."""
        return [result for result in self.results if result.verdict is Verdict.FAILED]

    @property
    def is_proved(self) -> bool:
        """Tell whether anything was seen to be right, and nothing to be wrong."""
        verdicts = {result.verdict for result in self.results}
        return Verdict.PASSED in verdicts and Verdict.FAILED not in verdicts


async def conform(
    address: str,
    security: Security,
    settings: KitSettings,
    checks: Sequence[Check] = CHECKS,
    done: Callable[[Result], None] = lambda result: None,
    report: Report | None = None,
) -> Report:
    """Run checks against the provider behind an address; ``done`` hears of each as it ends.

    ``report`` is filled as the run goes on, for a caller who is interrupted. However it ends, the
    machines that were used are brought back.

    Raises
    ------
    Unreachable
        When nobody answers there.
    InputFault
        As of ``providers.transport.new_channel``; or the service is not served there, or machines
        that ``settings`` name are not there to be used.
    """
    report = Report() if report is None else report
    async with reached(address, security, settings) as ground:
        told = await ground.discover()
        if isinstance(ground.unread, Unsupported):
            await _check_served(ground)
        report.earlier = await cleared(ground, told)
        if any(rest_of(machine) is not None for machine in told):
            await ground.discover()
        ground.check_named()
        try:
            await _run(checks, ground, report, done)
        finally:
            report.used = sorted(ground.used)
            report.left = await restore(ground)
    return report


async def _run(
    checks: Sequence[Check], ground: Ground, report: Report, done: Callable[[Result], None]
) -> None:
    """Run checks until the provider is gone, or hangs; the others are skipped with that reason."""
    why_not = await _why_silent(ground) if _SILENT in str(ground.unread) else ""
    silent = 0
    for check in checks:
        if why_not:
            result = Result(check, Verdict.SKIPPED, why_not)
        else:
            result = await tried(check, ground)
        report.results.append(result)
        done(result)
        if why_not or result.verdict is Verdict.SKIPPED:
            continue
        is_failed = result.verdict is Verdict.FAILED
        silent = silent + 1 if is_failed and _SILENT in result.what else 0
        if is_failed and not await _answers(ground.caller.channel):
            why_not = _GONE
        elif silent >= MOST_SILENT:
            why_not, silent = await _why_silent(ground), 0


async def _why_silent(ground: Ground) -> str:
    """Say that a provider hangs, and what its health is meanwhile; nothing where Get answers."""
    caller = ground.caller
    try:
        await caller.provider.get([NOBODY])
    except ProviderError as error:
        if _SILENT not in error.message:
            return ""
    else:
        return ""
    seconds = caller.provider.call_seconds
    return f"the provider hangs: no answer to Get within {seconds:g} s; {await _health(caller)}"


async def _health(caller: Caller) -> str:
    stub: Any = health_pb2_grpc.HealthStub(caller.channel)
    request = health_pb2.HealthCheckRequest(service=SERVICE)
    try:
        answer = await stub.Check(request, timeout=caller.provider.call_seconds)
    except aio.AioRpcError as error:
        return f"health: {error.code().name}"
    status = health_pb2.HealthCheckResponse.ServingStatus
    return f"health: {status.Name(answer.status) if answer.status in status.values() else '?'}"


async def _check_served(ground: Ground) -> None:
    """Raise ``InputFault`` where there is a gRPC server that has no Get either."""
    provider = ground.caller.provider
    with suppress(ProviderError):
        try:
            await provider.get([NOBODY])
        except Unsupported:
            said = f"a gRPC server answers, but it does not serve {SERVICE}."
            raise InputFault([Fault(provider.name, said)]) from None


@asynccontextmanager
async def reached(address: str, security: Security, settings: KitSettings) -> AsyncIterator[Ground]:
    """Give the ground of checks; errors as of ``conform``."""
    async with new_channel(address, security) as channel:
        if not await _answers(channel):
            said = f"nobody answers within {CONNECT_SECONDS:g} s; are address and TLS right?"
            raise Unreachable(address, said)
        stub: pb_grpc.CapacityProviderAsyncStub = pb_grpc.CapacityProviderStub(channel)
        provider = RemoteProvider(address, stub, list_seconds=LIST_SECONDS)
        caller = Caller(provider, channel, stub, settings.epoch, settings.seconds)
        yield Ground(caller, settings)


async def _answers(channel: aio.Channel) -> bool:
    """Tell whether there is a connection, or can be one."""
    try:
        await asyncio.wait_for(channel.channel_ready(), CONNECT_SECONDS)
    except TimeoutError:
        return False
    return True


async def tried(check: Check, ground: Ground) -> Result:
    """Give what comes of one check."""
    try:
        await check.run(ground)
    except Broken as broken:
        return Result(check, Verdict.FAILED, str(broken))
    except CannotTell as reason:
        return Result(check, Verdict.SKIPPED, str(reason))
    except ProviderError as error:
        return Result(check, Verdict.FAILED, f"expected an answer; saw {error.message}")
    return Result(check, Verdict.PASSED, check.says)
