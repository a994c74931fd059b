"""The service ``provider-metal``: machines of a rack list, over gRPC."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from models.errors import InputFault
from planner.cli.endpoint import Endpoint
from planner.cli.serve.ending import ending
from planner.cli.serve.listening import listen_options
from planner.cli.verdict import tell

if TYPE_CHECKING:
    from providers.metal.inventory import Inventory
    from providers.metal.provider import MetalProvider


@click.command("provider-metal", short_help="Machines of a rack list, over gRPC.")
@click.option("--inventory", required=True, metavar="FILE",
              help="CSV, or a list of rows in YAML, JSON or Parquet.")  # fmt: skip
@click.option("--hooks", "hooks_file", required=True, metavar="FILE",
              help="YAML or JSON: what configures and drains a machine.")  # fmt: skip
@click.option("--store", required=True, metavar="FILE", type=click.Path(path_type=Path),
              help="SQLite: owners, fences, what runs. Made where there is none.")  # fmt: skip
@click.option("--name", default="metal", show_default=True, help="Of the provider.")
@click.option("--allow-shrink", is_flag=True,
              help="Take an inventory that lost more than half of the machines too.")  # fmt: skip
@listen_options
def command(
    inventory: str, hooks_file: str, store: Path, name: str, allow_shrink: bool, listen: Endpoint
) -> None:
    """Serve the machines of a rack list; hooks do the work on them.

    SIGHUP reads the inventory again; where it is wrong, or has lost more than half of the machines,
    the old one stays.

    \b
    Columns of FILE: id, and any of host, state (IDLE or SPECULATIVE), capacityType (bare-metal or
    reserved), instanceType, pricePerHour, resources.NAME, labels.KEY.

    \b
    Hooks (configure and drain must be there, the others may):
      configure: {command: [./configure, "{host}"], timeout: 10m, expected: 5m, idempotent: true}
      drain: {url: "https://maas.example.org/drain/{host}", headers: {Authorization: ...}}
      commission, release: as these
      health: {command: [./health], timeout: 10s, every: 60s, at_once: 8}
      at_once: 64

    \b
    Examples:
      bigfleet serve provider-metal --inventory racks.csv --hooks hooks.yaml --store metal.db
    """
    from planner.racks import open_hooks, open_inventory
    from providers.metal.provider import Place, metal
    from providers.metal.store import SqliteStore

    hooks = open_hooks(hooks_file)
    read = partial(open_inventory, inventory, may_commission=hooks.commission is not None)
    machines = read()
    kept = SqliteStore.open(store)
    try:
        place = Place(str(Path(hooks_file).resolve().parent), str(store.resolve()))
        asyncio.run(_serve(metal(name, machines, hooks, kept, place), read, listen, allow_shrink))
    finally:
        kept.close()


async def _serve(
    working: "AbstractAsyncContextManager[MetalProvider]",
    read: "Callable[[], Inventory]",
    listen: Endpoint,
    allow_shrink: bool,
) -> None:
    from providers.server import serving

    # Before anybody can know the address: whoever reads it may end us at once.
    with ending() as told:
        async with (
            working as provider,
            serving(provider, listen.address, listen.security()) as port,
        ):
            with _reloading(provider, read, allow_shrink):
                click.echo(listen.bound(port))
                tell(f"{provider.name}: {len(provider.racks.ledger.machines)} machines.")
                await told.wait()


@contextmanager
def _reloading(
    provider: "MetalProvider", read: "Callable[[], Inventory]", allow_shrink: bool
) -> Iterator[None]:
    """Read the inventory again at each SIGHUP; they are taken one after the other."""
    told = asyncio.Event()

    async def reload() -> None:
        while True:
            await told.wait()
            told.clear()
            try:
                machines = await asyncio.to_thread(read)
            except InputFault as fault:
                for each in fault.faults:
                    tell(str(each))
                tell("the inventory stays as it was.")
                continue
            was = provider.racks.inventory
            lost = len(was.keys() - machines.keys())
            if 2 * lost > len(was) and not allow_shrink:
                tell(f"{lost} of {len(was)} machines are not in it any more: the inventory stays "
                     "as it was; --allow-shrink takes it.")  # fmt: skip
                continue
            now = provider.reload(machines)
            tell(f"the inventory was read: {len(now.came)} came, {len(now.gone)} are gone, "
                 f"{len(now.changed)} changed.")  # fmt: skip
            if now.busy:
                tell(f"not in it, and busy: {', '.join(now.busy)}.")

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, told.set)
    task = loop.create_task(reload())
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        task.cancel()
