"""However a run ends, the machines are where they were."""

import asyncio
import time

from timed_provider import Timed, timed

from models.errors import Unsupported
from models.failure import FailureClass
from models.machine import State
from providers.conformance.answers import accepted
from providers.conformance.checks import CHECKS
from providers.conformance.pool import take
from providers.conformance.run import Report, conform
from providers.conformance.settings import KitSettings
from providers.conformance.verdict import Broken, Check
from providers.contract.ledger import Ledger
from providers.machine import Failure
from providers.server import serving
from providers.transport import Security


def check_of(run):
    return Check("left", "It is left as it is.", run)


async def conformed(ledger, checks, report=None, seconds=5.0):
    settings = KitSettings(int(time.time() * 1000), seconds=seconds)
    async with serving(ledger) as port:
        return await conform(f"127.0.0.1:{port}", Security(), settings, checks, report=report)


def states(ledger):
    return {name: machine.state for name, machine in ledger.machines.items()}


class Thinks(Ledger):
    """Takes its time over an order; the order is done all the same where the caller has gone."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.thinking = asyncio.Event()

    async def create(self, fence, orders):
        self.thinking.set()
        await asyncio.sleep(0.3)
        return await super().create(fence, orders)


def test_an_order_that_is_under_way_when_the_run_is_interrupted_is_undone():
    async def run():
        plain, report = timed(), Report()
        ledger = Thinks("thinks", plain.machines, plain.work, time.time)
        plain.work.ledger = ledger
        life = [check for check in CHECKS if check.name == "life"]
        task = asyncio.ensure_future(conformed(ledger, life, report))
        await ledger.thinking.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        assert len(ledger.work.running) == 1, "the order was never done"
        assert states(ledger)["m0"] is State.SPECULATIVE
        assert (report.used, report.left) == (["m0"], {})

    asyncio.run(run())


def test_machines_that_failed_under_the_kit_are_repaired():
    async def fail(ground):
        accepted(await ground.ask(ground.create("hc")), "Create")
        accepted(await ground.ask(ground.create("hf")), "Create")
        await ground.until("hf", State.IDLE)
        accepted(await ground.ask(ground.configure("hf")), "Configure")
        await ground.until("hc", State.FAILED)
        await ground.until("hf", State.FAILED)
        raise Broken("this", "that")

    async def run():
        ledger = timed()
        before = states(ledger)
        report = await conformed(ledger, [check_of(fail)])
        assert [each.what for each in report.failed] == ["expected this; saw that"]
        assert (report.used, report.left) == (["hc", "hf"], {})
        assert states(ledger) == before

    asyncio.run(run())


def test_a_long_drain_is_cut_short_when_the_run_ends():
    async def leave_draining(ground):
        name = await take(ground, State.CONFIGURED)
        accepted(await ground.ask(ground.drain(name, 3600)), "Drain")

    async def run():
        ledger = timed()
        before = states(ledger)
        report = await conformed(ledger, [check_of(leave_draining)])
        assert report.left == {}
        assert states(ledger) == before

    asyncio.run(run())


def test_what_cannot_be_brought_back_is_named():
    async def leave_hanging(ground):
        accepted(await ground.ask(ground.create("hc")), "Create")

    async def run():
        ledger = timed(work=Timed(times_out=60.0))
        report = await conformed(ledger, [check_of(leave_hanging)], seconds=0.3)
        assert report.left == {"hc": "still CREATING after 0.3 s"}

    asyncio.run(run())


def test_a_check_that_cannot_bring_a_machine_uses_another():
    async def use(ground):
        assert await take(ground, State.CONFIGURED) == "m1"
        assert ground.aside == {"m0": "refused (QUOTA): no more of m0."}
        assert await take(ground, State.CONFIGURED) == "m1"
        assert await take(ground, State.CONFIGURED, but=["m1"]) == "m2"

    async def run():
        machines = {name: each for name, each in timed().machines.items() if name.startswith("m")}
        plain = timed(machines)
        work = plain.work

        def choosy(order, machine):
            if machine.id == "m0":
                return Failure(FailureClass.QUOTA, "no more of m0.")
            return work(order, machine)

        plain.work = choosy
        return await conformed(plain, [check_of(use)])

    [result] = asyncio.run(run()).results
    assert result.verdict == "passed", result.what


def test_without_a_delete_the_others_are_brought_back_all_the_same():
    class NoDelete(Ledger):
        async def delete(self, fence, orders):
            raise Unsupported("l", "there is no Delete.")

    async def use(ground):
        accepted(await ground.ask(ground.create("m0")), "Create")
        accepted(await ground.ask(ground.configure("r0")), "Configure")

    async def run():
        plain = timed()
        ledger = NoDelete("l", plain.machines, plain.work, time.time)
        plain.work.ledger = ledger
        report = await conformed(ledger, [check_of(use)])
        said = "refused (INVALID): UNIMPLEMENTED: there is no Delete."
        assert report.left == {"m0": said}
        assert states(ledger)["r0"] is State.IDLE

    asyncio.run(run())
