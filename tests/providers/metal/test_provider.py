"""A provider whose hooks are real processes: lives of machines, reloads, faults of the store."""

import asyncio
import sqlite3
import time

import pytest
from hook_server import says, served
from metal_racks import ROWS, fence, machine, racked, rested, said, shell, until

from models.errors import ProviderUnavailable, Unsupported
from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.machine import Health, Refusal
from providers.metal.inventory import inventory_from
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder

BLOB = b"#cloud-config\njoin: --token abcdef.0123456789abcdef\n"
HANG = shell("exec sleep 600")


def configure(name, cluster="c", **more):
    return ConfigureOrder(name, cluster, 1, user_data=BLOB, **more)


async def listed(provider, cursor=""):
    [page] = [page async for page in provider.list(cursor)]
    return page


def run(folder, story, **more):
    async def told():
        async with racked(folder, **more) as provider:
            return await story(provider)

    return asyncio.run(told())


def test_a_whole_life(tmp_path):
    async def story(provider):
        before = time.time()
        [ack] = await provider.create(fence(1), [CreateOrder("s0", 1, "c/n")])
        assert (ack.failure, ack.snapshot.state, ack.snapshot.host) == (None, State.CREATING, "s0")
        assert before + 300 <= ack.snapshot.estimated_ready < before + 310
        idle = await rested(provider, "s0")
        assert (idle.state, idle.reservation, idle.estimated_ready) == (State.IDLE, "c/n", None)
        [ack] = await provider.configure(fence(2), [configure("s0")])
        assert (ack.snapshot.cluster, ack.snapshot.state) == ("c", State.CONFIGURING)
        assert (await rested(provider, "s0")).state is State.CONFIGURED
        [ack] = await provider.drain(fence(3), [DrainOrder("s0", 10, 1)])
        assert before + 10 <= ack.snapshot.estimated_ready < before + 30
        [again] = await provider.drain(fence(4), [DrainOrder("s0", 10, 1)])
        idle = await rested(provider, "s0")
        assert again.operation == ack.operation == idle.operation
        assert (idle.state, idle.cluster, idle.host) == (State.IDLE, "", "s0")
        with pytest.raises(Unsupported):
            await provider.delete(fence(5), [DeleteOrder("s0", 1)])

    run(tmp_path, story)
    assert said(tmp_path) == ["commission s0", "configure s0", "drain s0"]


def test_a_hook_that_fails_says_why_but_not_the_blob(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0"), configure("r1")])
        return await rested(provider, "r0"), await rested(provider, "r1")

    text = "if [ $BIGFLEET_MACHINE = r0 ]; then cat; else echo no route to host; fi; exit 5"
    for failed in run(tmp_path, story, configure=shell(text)):
        assert (failed.state, failed.failed_from) == (State.FAILED, State.CONFIGURING)
        assert failed.last_failure.failure_class is FailureClass.INTERNAL
        assert failed.cluster == "c"
        assert failed.last_failure.message == "It ended with status 5. " + (
            "no route to host"
            if failed.id == "r1"
            else "(It repeats the bootstrap blob, and is left out.)"
        )


def test_hooks_over_http(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r1")])
        assert (await rested(provider, "r1")).state is State.CONFIGURED
        await provider.drain(fence(2), [DrainOrder("r1", 7, 1)])
        return await rested(provider, "r1")

    with served(says(204)) as (fine, came), served(says(409, b"still busy")) as (refuses, _):
        hooks = {
            "configure": {"url": f"http://127.0.0.1:{fine}/{{hook}}/{{host}}"},
            "drain": {"url": f"http://127.0.0.1:{refuses}/"},
        }
        failed = run(tmp_path, story, **hooks)
    assert [(path, body) for path, _, body in came] == [("/configure/bmc-1", BLOB)]
    assert failed.state is State.FAILED
    assert failed.last_failure.message == f"127.0.0.1:{refuses} answered 409 Conflict. still busy"


def test_what_could_not_be_configured_is_released_and_its_hook_comes_before_the_next(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        failed = await rested(provider, "r0")
        [ack] = await provider.drain(fence(2), [DrainOrder("r0", 0, 1)])
        assert (failed.state, ack.snapshot.state) == (State.FAILED, State.IDLE)
        await provider.configure(fence(3), [configure("r0")])
        assert (await rested(provider, "r0")).state is State.CONFIGURED

    text = "[ -e released ] || exit 1"
    release = shell("sleep 0.3; touch released")
    run(tmp_path, story, configure=shell(text), release=release)
    assert said(tmp_path) == ["configure r0", "release r0", "configure r0"]


def test_a_release_that_fails_is_told_and_the_machine_is_idle(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        await rested(provider, "r0")
        await provider.drain(fence(2), [DrainOrder("r0", 0, 1)])
        await until(lambda: not provider.racks.releasing)
        return await machine(provider, "r0")

    after = run(tmp_path, story, configure=shell("exit 1"), release=shell("echo stuck; exit 2"))
    assert (after.state, after.cluster) == (State.IDLE, "")
    assert after.last_failure.message == "release: It ended with status 2. stuck"


def drained(folder, *graces, seconds=20.0, **more):
    """Configure r0, then drain it with one grace after the other; give its end and how long."""

    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        await rested(provider, "r0")
        began = time.monotonic()
        for sequence, grace in enumerate(graces, 2):
            runs = said(folder).count("drain r0")
            [ack] = await provider.drain(fence(sequence), [DrainOrder("r0", grace, 1)])
            assert ack.failure is None
            if sequence == 2:
                await until(lambda: said(folder).count("drain r0") > runs)  # noqa: B023
        return await rested(provider, "r0", seconds), time.monotonic() - began

    return run(folder, story, **more)


GRACEFUL = (
    "echo $BIGFLEET_GRACE_SECONDS $BIGFLEET_KEY >> graces; exec sleep $BIGFLEET_GRACE_SECONDS"
)


def test_a_shorter_grace_calls_an_idempotent_hook_again_and_a_longer_one_does_not(tmp_path):
    after, seconds = drained(tmp_path, 600, 900, 1, 500, drain=shell(GRACEFUL))
    assert (after.state, after.last_failure) == (State.IDLE, None)
    assert seconds < 15
    (one, key), (two, again) = [
        line.split() for line in (tmp_path / "graces").read_text().splitlines()
    ]
    assert (one, two, key) == ("600", "1", again)
    assert said(tmp_path).count("drain r0") == 2


def test_a_shorter_grace_gives_a_hook_that_must_not_run_twice_less_time(tmp_path):
    hook = shell(GRACEFUL, idempotent=False, timeout=0.3)
    after, seconds = drained(tmp_path, 600, 0, drain=hook)
    assert (after.state, after.failed_from) == (State.FAILED, State.DRAINING)
    assert "shorter grace" in after.last_failure.message
    assert seconds < 15
    assert said(tmp_path).count("drain r0") == 1


def test_a_shorter_grace_leaves_a_hook_alone_that_ends_in_time(tmp_path):
    hook = shell("exec sleep 0.5", idempotent=False)
    after, _ = drained(tmp_path, 600, 0, drain=hook)
    assert (after.state, after.last_failure) == (State.IDLE, None)


def test_so_many_hooks_run_at_once(tmp_path):
    async def story(provider):
        names = [f"r{n}" for n in range(9)]
        acks = await provider.configure(fence(1), [configure(name) for name in names])
        assert {ack.snapshot.state for ack in acks} == {State.CONFIGURING}
        for name in names:
            assert (await rested(provider, name)).state is State.CONFIGURED

    count = "mkdir in-$$; ls -d in-* | wc -l >> counts; sleep 0.1; rmdir in-$$"
    rows = [{"id": f"r{n}"} for n in range(9)]
    run(tmp_path, story, rows=rows, configure=shell(count), at_once=3)
    counts = [int(line) for line in (tmp_path / "counts").read_text().split()]
    assert len(counts) == 9
    assert 1 < max(counts) <= 3


def test_what_no_hook_can_be_told_is_refused(tmp_path):
    async def story(provider):
        [nul] = await provider.configure(fence(1), [configure("r0", "a\0b")])
        [none] = await provider.create(fence(1), [CreateOrder("s0", 1)])
        return nul, none

    nul, none = run(tmp_path, story, commission=None)
    assert (nul.failure.refusal, nul.snapshot.state) == (Refusal.MALFORMED, State.IDLE)
    assert (none.failure.refusal, none.snapshot.state) == (Refusal.UNSUPPORTED, State.SPECULATIVE)
    assert said(tmp_path) == []


class Full:
    """A store that can be written only while there is room."""

    def __init__(self, store):
        self.store, self.room = store, True

    def load(self):
        return self.store.load()

    def write(self, *arguments):
        if not self.room:
            raise sqlite3.OperationalError("database or disk is full")
        self.store.write(*arguments)


def test_an_order_that_cannot_be_stored_has_not_begun(tmp_path):
    async def story(provider):
        [first] = await provider.configure(fence(5), [configure("r0")])
        before = await rested(provider, "r0")
        full = provider.racks.store = Full(provider.racks.store)
        full.room = False
        page = await listed(provider)
        with pytest.raises(ProviderUnavailable, match="disk is full"):
            await provider.drain(fence(9, epoch=2), [DrainOrder("r0", 5, 7), DrainOrder("r1", 5)])
        with pytest.raises(ProviderUnavailable):
            await provider.create(fence(9, shard="new"), [CreateOrder("s0", 1)])
        assert (await listed(provider)).machines == page.machines
        full.room = True
        # Nothing was heard either: an older epoch and sequence than those are taken.
        [ack] = await provider.drain(fence(6), [DrainOrder("r0", 0, 1)])
        assert (ack.failure, ack.snapshot.state) == (None, State.DRAINING)
        assert (await rested(provider, "r0")).operation != first.operation == before.operation

    run(tmp_path, story)
    assert said(tmp_path) == ["configure r0", "drain r0"]


def test_an_outcome_that_cannot_be_stored_is_stored_with_the_next(tmp_path, caplog):
    async def story(provider):
        full = provider.racks.store = Full(provider.racks.store)
        await provider.configure(fence(1), [configure("r0")])
        full.room = False
        assert (await rested(provider, "r0")).state is State.CONFIGURED
        assert "disk is full" in caplog.text
        with pytest.raises(ProviderUnavailable):
            await provider.create(fence(2, shard="new"), [CreateOrder("nobody", 1)])
        full.room = True
        await provider.create(fence(2), [CreateOrder("s0", 1)])

    run(tmp_path, story, commission=HANG)

    async def next_life(provider):
        return await machine(provider, "r0")

    assert run(tmp_path, next_life, commission=HANG).state is State.CONFIGURED


def test_a_stop_ends_hooks_and_the_next_life_takes_them_up(tmp_path):
    async def begins(provider):
        await provider.create(fence(1), [CreateOrder("s0", 1)])
        await until(lambda: said(tmp_path))

    async def ends(provider):
        return await rested(provider, "s0")

    run(tmp_path, begins, commission=HANG)
    after = run(tmp_path, ends)
    assert after.state is State.IDLE
    assert said(tmp_path) == ["commission s0"] * 2


def test_revisions_rise_over_lives(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        await rested(provider, "r0")
        # What nobody has ordered anything is not in the store, and changes all the same.
        for number in range(9):
            labels = {"rack": number}
            provider.reload(inventory_from([ROWS[0], ROWS[1] | {"labels": labels}, ROWS[2]]))
        page = await listed(provider)
        return page.end.cursor, {each.id: each.revision for each in page.machines}

    cursor, before = run(tmp_path, story)

    async def after(provider):
        page = await listed(provider, cursor)
        assert page.end.is_full
        return {each.id: each.revision for each in page.machines}

    again = run(tmp_path, after)
    assert again["r0"] == before["r0"]
    assert again["r1"] > before["r1"]

    async def set_back(provider):
        await provider.drain(fence(2), [DrainOrder("r0", 0, 1)])
        return (await rested(provider, "r0")).revision

    assert run(tmp_path, set_back, clock=lambda: 5.0) > again["r0"]


def test_a_reload_takes_what_is_new_and_lets_what_is_free_go(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        await rested(provider, "r0")
        cursor = (await listed(provider)).end.cursor
        rows = [
            {"id": "r2", "labels": {"rack": "9"}},
            {"id": "s0", "host": "bmc-s", "pricePerHour": 2.0},
        ]
        told = provider.reload(inventory_from(rows))
        assert (told.came, told.gone, told.changed) == (("r2",), ("r1",), ("s0",))
        assert told.busy == ("r0",)
        page = await listed(provider, cursor)
        assert page.gone == ("r1",)
        assert {each.id: (each.state, each.host) for each in page.machines} == {
            "r2": (State.IDLE, "r2"), "s0": (State.IDLE, "bmc-s"),
        }  # fmt: skip
        # Busy, it is there until it is idle.
        cursor = page.end.cursor
        await provider.drain(fence(2), [DrainOrder("r0", 0, 1)])
        await until(lambda: "r0" not in provider.racks.ledger.machines)
        page = await listed(provider, cursor)
        assert (page.gone, page.machines) == (("r0",), ())
        assert provider.racks.store.load()[0] == []
        # And it may come back, as somebody nobody knows.
        provider.reload(inventory_from([*rows, {"id": "r0"}]))
        page = await listed(provider, cursor)
        assert page.gone == ()
        assert [(each.id, each.shard, each.state) for each in page.machines] == [
            ("r0", "", State.IDLE)
        ]
        [ack] = await provider.configure(fence(1), [configure("r0")])
        assert ack.failure is None

    run(tmp_path, story)


@pytest.mark.parametrize("release", [None, shell("sleep 0.3; touch released")])
def test_what_is_not_in_the_list_any_more_goes_once_it_is_released(tmp_path, release):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        await rested(provider, "r0")
        assert provider.reload(inventory_from(ROWS[1:])).busy == ("r0",)
        [ack] = await provider.drain(fence(2), [DrainOrder("r0", 0, 1)])
        assert (ack.failure, ack.snapshot.state) == (None, State.IDLE)
        if release:
            assert provider.reload(inventory_from(ROWS[1:])).busy == ("r0",)
            await until(lambda: not provider.racks.releasing)
        assert (await provider.get(["r0"])).unknown == ("r0",)

    run(tmp_path, story, configure=shell("exit 1"), release=release)
    assert (tmp_path / "released").exists() == (release is not None)


def test_a_reload_changes_what_is_busy_but_not_its_host(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0")])
        await rested(provider, "r0")
        row = {"id": "r0", "host": "other", "capacityType": "reserved", "labels": {"a": "b"}}
        told = provider.reload(inventory_from([row]))
        busy = await machine(provider, "r0")
        assert (busy.state, busy.host, busy.labels) == (State.CONFIGURED, "r0", {"a": "b"})
        assert busy.kind.capacity_type is CapacityType.RESERVED
        assert (told.changed, told.busy) == (("r0",), ())
        assert provider.reload(inventory_from([row])) == type(told)()
        await provider.drain(fence(2), [DrainOrder("r0", 0, 1)])
        return await rested(provider, "r0")

    assert run(tmp_path, story).host == "other"


def test_what_could_not_be_commissioned_is_idle_when_its_row_says_so(tmp_path):
    async def story(provider):
        await provider.create(fence(1), [CreateOrder("s0", 1)])
        failed = await rested(provider, "s0")
        assert (failed.state, failed.failed_from) == (State.FAILED, State.CREATING)
        provider.reload(inventory_from(ROWS))
        assert (await machine(provider, "s0")).state is State.FAILED
        provider.reload(inventory_from([{"id": "s0"}]))

    run(tmp_path, story, commission=shell("exit 1"))

    async def after(provider):
        return await machine(provider, "s0")

    idle = run(tmp_path, after)
    assert (idle.state, idle.failed_from, idle.host) == (State.IDLE, None, "s0")


def test_what_left_the_inventory_between_lives(tmp_path):
    async def story(provider):
        await provider.configure(fence(1), [configure("r0"), configure("r1")])
        await rested(provider, "r0")
        await rested(provider, "r1")
        await provider.drain(fence(2), [DrainOrder("r1", 0, 1)])
        await rested(provider, "r1")

    run(tmp_path, story)

    async def after(provider):
        kept = [record.machine.id for record in provider.racks.store.load()[0]]
        return kept, {each.id: each.cluster for each in (await listed(provider)).machines}

    assert run(tmp_path, after, rows=[{"id": "r9"}]) == (["r0"], {"r0": "c", "r9": ""})


def test_health_is_asked_round_by_round(tmp_path):
    health = shell(
        'cat "health-$BIGFLEET_HOST" && exit 0; echo OK; exec sleep 600',
        every=1,
        timeout=0.5,
        at_once=2,
    )

    async def story(provider):
        # One that is only being made has no health yet.
        await provider.create(fence(1), [CreateOrder("s0", 1)])

        def healths():
            return {each.id: each.health for each in provider.racks.ledger.machines.values()}

        wanted = {
            "r0": Health.SUSPECT,
            "r1": Health.DEAD,
            "r2": Health.UNKNOWN,
            "s0": Health.UNKNOWN,
        }
        await until(lambda: healths() == wanted)
        (tmp_path / "health-r0").write_text("all is well\nOK\n")
        (tmp_path / "health-bmc-1").write_text("perhaps\n")
        await until(lambda: healths() == wanted | {"r0": Health.OK, "r1": Health.UNKNOWN})

    (tmp_path / "health-r0").write_text("SUSPECT")
    (tmp_path / "health-bmc-1").write_text("DEAD\n")
    run(tmp_path, story, rows=[*ROWS, {"id": "r2"}], health=health, commission=HANG)
    assert "health s0" not in said(tmp_path)
