"""A provider of bare metal for tests: its hooks are real processes, lines of shell."""

import asyncio
import time
from contextlib import asynccontextmanager
from pathlib import Path

from models.machine import State
from providers.metal.hooks import hooks_from
from providers.metal.inventory import inventory_from
from providers.metal.provider import Place, metal
from providers.metal.store import SqliteStore
from providers.orders import Fence

ROWS = ({"id": "r0"}, {"id": "r1", "host": "bmc-1"}, {"id": "s0", "state": "SPECULATIVE"})
RUNNING = {State.CREATING, State.CONFIGURING, State.DRAINING}


def shell(program, **more):
    """Give a hook that first adds its name and machine to the file ``said``."""
    said = 'echo "$BIGFLEET_HOOK $BIGFLEET_MACHINE" >> said'
    return {"command": ["sh", "-c", f"{said}; {program}"]} | more


def mapping(**more):
    """Give hooks as a file has them: they do nothing, but for those given; None: there is none."""
    return {kind: shell(":") for kind in ("commission", "configure", "drain")} | more


@asynccontextmanager
async def racked(folder: Path, rows=ROWS, clock=time.time, **more):
    """Run a provider over the store in ``folder``, where its hooks run too."""
    store = SqliteStore.open(folder / "store.db")
    try:
        place = Place(str(folder), str(folder / "store.db"))
        inventory, hooks = inventory_from(rows), hooks_from(mapping(**more))
        async with metal("metal", inventory, hooks, store, place, clock) as provider:
            yield provider
    finally:
        store.close()


def said(folder: Path):
    """Give what hooks have added to ``said``, line by line."""
    path = folder / "said"
    return path.read_text().splitlines() if path.exists() else []


def fence(sequence=1, epoch=1, shard="s"):
    return Fence(shard, epoch, sequence)


async def machine(provider, name):
    [found] = (await provider.get([name])).machines
    return found


async def rested(provider, name, seconds=20.0):
    """Wait until a machine is in transition no more."""
    async with asyncio.timeout(seconds):
        while (known := await machine(provider, name)).state in RUNNING:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return known


async def until(condition, seconds=20.0):
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
