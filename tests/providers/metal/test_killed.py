"""A provider that is killed in the middle of an operation: the next life knows what to do."""

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from metal_racks import machine, racked, rested, said, shell, until

from models.failure import FailureClass
from models.machine import State
from providers.metal.strays import end_strays
from providers.orders import ConfigureOrder, DrainOrder, Fence

TESTS = Path(__file__).resolve().parents[2]
ONCE = "if [ -e again ]; then exit 0; fi; touch again; echo $$ > pid; exec sleep 600"
"""A hook that hangs the first time."""


@contextmanager
def life(folder, hooks, *orders):
    """Run a life that has given these orders; kill it at the end."""
    with subprocess.Popen(
        [sys.executable, str(TESTS / "metal_life.py"), str(folder), json.dumps(hooks), *orders],
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{TESTS.parent}"},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield [process.stdout.readline().strip() for _ in orders]
        finally:
            process.kill()


def waited(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_alive(process):
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def killed_in(folder, hooks, *orders):
    """Kill a life once the last hook runs; give the operations, and the hook's process."""
    with life(folder, hooks, *orders) as operations:
        waited((folder / "pid").exists)
        waited((folder / "pid").read_text)
    return operations, int((folder / "pid").read_text())


def next_life(folder, name, **hooks):
    """Give a machine once it is at rest, in a life that goes on."""

    async def run():
        async with racked(folder, **hooks) as provider:
            return await rested(provider, name)

    return asyncio.run(run())


async def configured(folder, name, **hooks):
    async with racked(folder, **hooks) as provider:
        await provider.configure(Fence("s", 1, 1), [ConfigureOrder(name, "c", 1)])
        assert (await rested(provider, name)).state is State.CONFIGURED


@pytest.mark.parametrize("is_idempotent", [True, False])
def test_a_commission(tmp_path, is_idempotent):
    hooks = {"commission": shell(ONCE, idempotent=is_idempotent)}
    [operation], hook = killed_in(tmp_path, hooks, "create:s0")
    assert is_alive(hook)
    after = next_life(tmp_path, "s0", **hooks)
    assert not is_alive(hook)
    assert (after.operation, after.shard, after.ownership_version) == (operation, "s", 1)
    runs = said(tmp_path).count("commission s0")
    if is_idempotent:
        assert (after.state, after.host, after.last_failure, runs) == (State.IDLE, "s0", None, 2)
        return
    assert (after.state, after.failed_from, runs) == (State.FAILED, State.CREATING, 1)
    assert after.last_failure.failure_class is FailureClass.INTERNAL
    assert "must not run twice" in after.last_failure.message
    # Failed it stays, in a third life too.
    assert next_life(tmp_path, "s0", **hooks).last_failure == after.last_failure
    assert said(tmp_path).count("commission s0") == 1


@pytest.mark.parametrize("is_idempotent", [True, False])
def test_a_drain(tmp_path, is_idempotent):
    hooks = {"drain": shell(ONCE, idempotent=is_idempotent)}
    asyncio.run(configured(tmp_path, "r1", **hooks))
    [operation], hook = killed_in(tmp_path, hooks, "drain:r1")
    after = next_life(tmp_path, "r1", **hooks)
    assert not is_alive(hook)
    assert after.operation == operation
    runs = said(tmp_path).count("drain r1")
    if is_idempotent:
        assert (after.state, after.cluster, after.host, runs) == (State.IDLE, "", "bmc-1", 2)
    else:
        assert (after.state, after.failed_from, after.cluster) == (
            State.FAILED, State.DRAINING, "c",
        )  # fmt: skip
        assert runs == 1


def test_a_configure_wants_a_fresh_blob(tmp_path):
    hooks = {"configure": shell(ONCE)}
    _, hook = killed_in(tmp_path, hooks, "configure:r0")

    async def run():
        async with racked(tmp_path, **hooks) as provider:
            failed = await machine(provider, "r0")
            order = ConfigureOrder("r0", "c", 1, user_data=b"fresh")
            [ack] = await provider.configure(Fence("s", 1, 2000), [order])
            return failed, ack, await rested(provider, "r0")

    failed, ack, after = asyncio.run(run())
    assert not is_alive(hook)
    assert (failed.state, failed.failed_from) == (State.FAILED, State.CONFIGURING)
    assert "order Configure again" in failed.last_failure.message
    assert ack.operation not in ("", failed.operation)
    assert (after.state, after.cluster, after.last_failure) == (State.CONFIGURED, "c", None)
    assert said(tmp_path) == ["configure r0"] * 2
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("store.db*"))
    assert b"secret" not in kept


@pytest.mark.parametrize("is_idempotent", [True, False])
def test_a_release(tmp_path, is_idempotent):
    hooks = {"configure": shell("exit 3"), "release": shell(ONCE, idempotent=is_idempotent)}

    async def failed():
        async with racked(tmp_path, **hooks) as provider:
            await provider.configure(Fence("s", 1, 1), [ConfigureOrder("r0", "c", 1)])
            await rested(provider, "r0")

    asyncio.run(failed())
    killed_in(tmp_path, hooks, "drain:r0")

    async def run():
        async with racked(tmp_path, **hooks) as provider:
            await until(lambda: not provider.racks.releasing)
            # A drain that shortens nothing is heard, and written.
            await provider.drain(Fence("s", 1, 2000), [DrainOrder("r0", 0, 1)])
            return await machine(provider, "r0")

    after = asyncio.run(run())
    assert after.state is State.IDLE
    assert said(tmp_path).count("release r0") == (2 if is_idempotent else 1)
    why = "status 3" if is_idempotent else "must not run twice"
    assert why in after.last_failure.message


def test_what_had_not_begun_begins_in_the_next_life_though_it_must_not_run_twice(tmp_path):
    rows = {"commission": shell(ONCE, idempotent=False), "at_once": 1}
    # That one such hook has begun and ended says nothing of the next.
    asyncio.run(configured(tmp_path, "r0", configure=shell(":", idempotent=False)))
    hooks = rows | {"drain": shell(":", idempotent=False)}
    with life(tmp_path, hooks, "create:s0", "drain:r0") as (first, second):
        waited((tmp_path / "pid").exists)
        assert first != second
    assert said(tmp_path) == ["configure r0", "commission s0"]
    after = next_life(tmp_path, "r0", **hooks)
    assert (after.state, after.operation) == (State.IDLE, second)
    assert said(tmp_path).count("drain r0") == 1
    assert said(tmp_path).count("commission s0") == 1


def test_an_order_that_was_answered_is_known_and_older_ones_are_stale(tmp_path):
    hooks = {"commission": shell("sleep 600")}
    with life(tmp_path, hooks, "create:s0") as [operation]:
        pass

    async def run():
        async with racked(tmp_path, commission=shell("sleep 600")) as provider:
            known = await machine(provider, "s0")
            [stale] = await provider.drain(Fence("s", 1, 999), [DrainOrder("s0", 0, 1)])
            [older] = await provider.drain(Fence("s", 0, 5000), [DrainOrder("r0", 0, 1)])
            return known, stale, older

    known, stale, older = asyncio.run(run())
    assert (known.state, known.operation) == (State.CREATING, operation)
    assert "older" in stale.failure.message
    assert "epoch 0" in older.failure.message


def test_a_second_process_is_refused_while_the_first_lives(tmp_path):
    hooks = {"commission": shell("sleep 600")}
    with life(tmp_path, hooks, "create:s0"):
        done = subprocess.run(
            [sys.executable, str(TESTS / "metal_life.py"), str(tmp_path), "{}"],
            env={**os.environ, "PYTHONPATH": f"{TESTS}:{TESTS.parent}"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert "is in use by another process" in done.stderr.splitlines()[-1]
    end_strays(str(tmp_path / "store.db"))
