"""The service ``provider-sim``: a simulated provider of capacity, over gRPC."""

import asyncio
import math
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import click

from planner.cli.endpoint import Endpoint
from planner.cli.serve.ending import ending
from planner.cli.serve.listening import listen_options
from planner.cli.verdict import tell

if TYPE_CHECKING:
    from planner.simulated_worlds import SimulatedWorld

MOST_SPEED = 1_000_000.0


def _number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    # NaN is neither below nor above a bound.
    if not math.isfinite(value):
        raise click.BadParameter(f"{value} is no number.", ctx, param)
    return value


@click.command("provider-sim", short_help="A simulated provider of capacity, over gRPC.")
@click.option("--config", "path", required=True, metavar="FILE",
              help="A Scenario, or a Fleet with `providers:`; - for standard input.")  # fmt: skip
@click.option("--provider", metavar="NAME", help="Which one of FILE, where it has several.")
@click.option("--seed", type=int, help="Of all chance; without it the scenario's, else 0.")
@click.option("--speed", type=click.FloatRange(0, MOST_SPEED, min_open=True), default=1.0,
              show_default=True, callback=_number, help="Simulated seconds a second.")  # fmt: skip
@click.option("--boards", metavar="HOST:PORT",
              help="Answer GET /health/ID over HTTP too, as boards of machines do.")  # fmt: skip
@listen_options
def command(
    path: str,
    provider: str | None,
    seed: int | None,
    speed: float,
    boards: str | None,
    listen: Endpoint,
) -> None:
    """Serve a simulated provider: the machines of FILE that are of it, and its knobs.

    \b
    Knobs of a provider (durations as in 90s; everything may be left out):
      kind: cloud | bare-metal            bare metal takes hours and has no Delete
      create, configure, drain, delete: 60s | [40s, 90s] | {lognormal: {median: 90s, sigma: 0.5}}
      rate: {calls: 2, machines: 2, burst: 1000}     a second, then THROTTLED
      timeouts: {create: 15m, ...}        when it gives up: FAILED
      fail: [{rpc: create, match: {id: "s*", instanceType, zone, capacityType}, class: CAPACITY
              (QUOTA, IP, THROTTLED, INVALID, INTERNAL, hang, late with after), from, until}]
      list: [{returns: empty | error | partial with hide, from, until}]
      quotas: [{match: {...}, count: 3, class: QUOTA}]
      subnets: {NAME: addresses}          by the label bigfleet.dev/subnet
      reclaims: {notice: 2m}              of spot machines, by their probabilities
      prices: {every: 5m, drift: 0.05, least: 0.5, most: 2}

    \b
    Examples:
      bigfleet serve provider-sim --config scenario.yaml
      bigfleet serve provider-sim --config fleet.yaml --provider aws --speed 60
      bigfleet serve provider-sim --config s.yaml --address 0.0.0.0:7443 --plain-text
    """
    from planner.simulated_worlds import open_world

    world = open_world(path, provider, seed)
    if world.has_events:
        tell("note: the events of a scenario are not played here.")
    asyncio.run(_serve(world, listen, speed, boards))


async def _serve(
    world: "SimulatedWorld", listen: Endpoint, speed: float, board_address: str | None
) -> None:
    from providers.server import serving
    from providers.simulated.boards import boards
    from providers.simulated.cloud import SimulatedCloud
    from providers.simulated.provider import SimulatedProvider

    clock = running_clock(speed)
    cloud = SimulatedCloud.of(world.rows, world.provider, world.knobs, world.seed, clock())
    provider = SimulatedProvider(cloud, clock)
    # Before anybody can know the address: whoever reads it may end us at once.
    with ending() as told:
        async with AsyncExitStack() as services:
            port = await services.enter_async_context(
                serving(provider, listen.address, listen.security())
            )
            lines = [listen.bound(port)]
            if board_address is not None:
                port = await services.enter_async_context(boards(provider, board_address))
                lines.append(f"http://{board_address.rpartition(':')[0]}:{port}/health/")
            # Only once all of it answers: who reads the first line goes on.
            click.echo("\n".join(lines))
            tell(f"{world.provider}: {len(cloud.world)} machines, seed {world.seed}.")
            await told.wait()


def running_clock(speed: float) -> Callable[[], float]:
    """Give a clock, seconds since 1970, that begins now and runs so many times as fast."""
    began, start = time.time(), time.monotonic()
    return lambda: began + (time.monotonic() - start) * speed
