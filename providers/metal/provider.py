"""The port over racks: orders are kept, then their hooks are called, one at a time a machine."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NoReturn

from models.errors import Unsupported
from providers.listing import Pages
from providers.metal.commands import run
from providers.metal.health import watch
from providers.metal.hooks import Call, Hook, Hooks, Kind
from providers.metal.inventory import Inventory
from providers.metal.outcome import Outcome
from providers.metal.racks import Job, Racks, Reloaded
from providers.metal.requests import ask
from providers.metal.store import Store
from providers.metal.strays import end_strays
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence, Order
from providers.port import Found

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where hooks run: relative names are below ``folder``; ``mark`` tells their processes."""

    folder: str
    mark: str


@asynccontextmanager
async def metal(
    name: str,
    inventory: Inventory,
    hooks: Hooks,
    store: Store,
    place: Place,
    clock: Callable[[], float] = time.time,
) -> AsyncIterator["MetalProvider"]:
    """Give a provider that works while the block runs.

    What an earlier life over the same store left running is ended; then its operations are taken
    up again, or FAILED where nobody knows what came of a hook that must not run twice. Leaving the
    block does the same to the hooks that run: the next life takes them up.

    Raises
    ------
    InputFault
        When the store holds what is no record.
    """
    strays = end_strays(place.mark)
    if strays:
        log.warning("%d processes of hooks of an earlier life were ended.", strays)
    racks = Racks(name, inventory, hooks, store, clock)
    asked = hooks.health.at_once if hooks.health is not None else 0
    threads = ThreadPoolExecutor(hooks.at_once + asked, "hook")
    provider = MetalProvider(racks, place, threads, asyncio.Semaphore(hooks.at_once))
    try:
        provider.begin(racks.resumed())
        provider.watch_health()
        yield provider
    finally:
        await provider.stop()
        threads.shutdown(wait=False, cancel_futures=True)


@dataclass
class MetalProvider:
    """Keeps the port; made by ``metal``."""

    racks: Racks
    place: Place
    threads: Executor
    room: asyncio.Semaphore
    _working: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    @property
    def name(self) -> str:
        """See ``CapacityProvider``."""
        return self.racks.name

    async def create(self, fence: Fence, orders: Sequence[CreateOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self._ordered(fence, orders)

    async def configure(self, fence: Fence, orders: Sequence[ConfigureOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self._ordered(fence, orders)

    async def drain(self, fence: Fence, orders: Sequence[DrainOrder]) -> Sequence[Ack]:
        """See ``CapacityProvider``."""
        return self._ordered(fence, orders)

    async def delete(self, fence: Fence, orders: Sequence[DeleteOrder]) -> NoReturn:
        """See ``CapacityProvider``: there is no such call here."""
        raise Unsupported(self.name, "bare metal has no Delete: it is paid for anyway.")

    async def get(self, machines: Sequence[str]) -> Found:
        """See ``CapacityProvider``."""
        return await self.racks.ledger.get(machines)

    def list(self, cursor: str = "", *, shard: str = "", columnar: bool = False) -> Pages:
        """See ``CapacityProvider``."""
        return self.racks.ledger.list(cursor, shard=shard, columnar=columnar)

    def reload(self, inventory: Inventory) -> Reloaded:
        """Take a new inventory; see ``Racks.reload``."""
        return self.racks.reload(inventory)

    def begin(self, jobs: Sequence[Job]) -> None:
        """Begin jobs that are in the store."""
        for job in jobs:
            name = job.machine.id
            earlier = self._working.get(name)
            if job.is_shorter and earlier is not None:
                if not self._hook(job).idempotent:
                    self._task(self._given_up(job, earlier))
                    continue
                earlier.cancel()
            self._working[name] = self._task(self._work(job, earlier))

    def watch_health(self) -> None:
        """Begin to ask how machines are, where there is a hook for it."""
        hook = self.racks.hooks.health
        if hook is not None:
            self._task(watch(hook, self.racks, lambda call: self._called(hook, call, hook.timeout)))

    async def stop(self) -> None:
        """End all hooks that run; their operations stay in the store as they are."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _ordered(self, fence: Fence, orders: Sequence[Order]) -> Sequence[Ack]:
        acks, jobs = self.racks.ordered(fence, orders)
        self.begin(jobs)
        return acks

    async def _work(self, job: Job, earlier: "asyncio.Task[None] | None") -> None:
        """Call the hook of a job once the machine's earlier one is over, and there is room."""
        if earlier is not None:
            await asyncio.wait([earlier])
        async with self.room:
            try:
                self.racks.starting(job)
                call = self._call(job)
                hook = self._hook(job)
                outcome = await self._called(hook, call, call.grace_seconds + hook.timeout)
            except sqlite3.Error as error:
                outcome = Outcome(f"It was not begun: the store cannot be written ({error}).")
            except Exception as error:
                log.exception("a fault of ours")
                outcome = Outcome(f"It met a fault of the provider ({type(error).__name__}).")
        self.racks.finished(job, outcome)

    async def _given_up(self, job: Job, working: "asyncio.Task[None]") -> None:
        """Give up a drain that must not run twice when its shorter grace is over."""
        seconds = self._call(job).grace_seconds + self._hook(job).timeout
        done, _ = await asyncio.wait([working], timeout=seconds)
        if not done and self._working.get(job.machine.id) is working:
            working.cancel()
            await asyncio.wait([working])
            self.racks.finished(job, Outcome("drain took longer than its shorter grace."))

    async def _called(self, hook: Hook, call: Call, seconds: float) -> Outcome:
        if hook.command is not None:
            command = [str(part) for part in hook.command]
            return await run(command, call, seconds, self.place.folder, self.place.mark)
        return await ask(str(hook.url), hook.headers, call, seconds, self.threads)

    def _call(self, job: Job) -> Call:
        grace = 0
        if job.kind is Kind.DRAIN:
            until = self.racks.ledger.graces.get(job.machine.id, 0.0)
            grace = max(ceil(until - self.racks.clock()), 0)
        return Call(
            job.kind,
            job.machine.id,
            job.machine.host,
            job.machine.operation,
            job.machine.cluster,
            job.machine.reservation,
            grace,
            job.user_data,
        )

    def _hook(self, job: Job) -> Hook:
        hook = self.racks.hooks.of(job.kind)
        # Nothing begins without its hook, and hooks do not change in a life.
        assert hook is not None
        return hook

    def _task(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)
        return task

    def _over(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        for name in [name for name, each in self._working.items() if each is task]:
            del self._working[name]
        if not task.cancelled() and task.exception() is not None:
            log.error("a fault of ours", exc_info=task.exception())
