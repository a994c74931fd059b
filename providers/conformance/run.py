"""Run the checks one after the other, and leave the provider as it was found."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from grpc import aio

from models.errors import ProviderError, Unreachable
from providers.client import RemoteProvider
from providers.conformance.caller import Caller
from providers.conformance.checks import CHECKS
from providers.conformance.ground import Ground
from providers.conformance.pool import restore
from providers.conformance.settings import KitSettings
from providers.conformance.verdict import Broken, CannotTell, Check, Result, Verdict
from providers.transport import Security, new_channel
from providers.v1 import capacity_pb2_grpc as pb_grpc

CONNECT_SECONDS = 10.0
"""Within which a provider must answer at all."""

_GONE = (Verdict.SKIPPED, "the provider does not answer any more")


@dataclass(slots=True)
class Report:
    """What came of a run.

    Attributes
    ----------
    used
        Machines that orders were sent for, sorted.
    left
        Those of them that are not as they were found, with the reason.
    """

    results: list[Result] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> list[Result]:
        """Give the checks that failed."""
        return [result for result in self.results if result.verdict is Verdict.FAILED]


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
        As of ``providers.transport.new_channel``.
    """
    report = Report() if report is None else report
    async with reached(address, security, settings) as ground:
        await ground.discover()
        try:
            is_there = True
            for check in checks:
                result = await tried(check, ground) if is_there else Result(check, *_GONE)
                report.results.append(result)
                done(result)
                if is_there and result.verdict is Verdict.FAILED:
                    is_there = await _answers(ground.caller.channel)
        finally:
            report.used = sorted(ground.used)
            report.left = await restore(ground)
    return report


@asynccontextmanager
async def reached(address: str, security: Security, settings: KitSettings) -> AsyncIterator[Ground]:
    """Give the ground of checks; errors as of ``conform``."""
    async with new_channel(address, security) as channel:
        if not await _answers(channel):
            said = f"nobody answers within {CONNECT_SECONDS:g} s; are address and TLS right?"
            raise Unreachable(address, said)
        stub: pb_grpc.CapacityProviderAsyncStub = pb_grpc.CapacityProviderStub(channel)
        provider = RemoteProvider(address, stub)
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
