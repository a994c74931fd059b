"""What only a server of one's own can do wrong, one at a time, fails its own lines of the kit."""

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from timed_provider import timed

from providers.conformance.checks import CHECKS
from providers.conformance.run import conform
from providers.conformance.settings import KitSettings
from providers.server import SERVICE, CapacityServicer
from providers.statuses import Statuses
from providers.transport import Security, new_server
from providers.v1 import capacity_pb2 as pb
from providers.v1 import capacity_pb2_grpc as pb_grpc

# What costs a moment, and those about much in a call.
SOME = [check for check in CHECKS[: [c.name for c in CHECKS].index("life")]]
SOME += [check for check in CHECKS if check.name in ("big-call", "long-texts")]


class OnePage(CapacityServicer):
    """Puts all machines in one page, whatever is asked for."""

    async def List(self, request, context):
        request.page_size = 0
        async for page in super().List(request, context):
            yield page


class GoesOn(CapacityServicer):
    """Sends a page after the end."""

    async def List(self, request, context):
        async for page in super().List(request, context):
            yield page
        yield pb.ListPage(end=pb.ListEnd(cursor="x", full=True))


class Changed(CapacityServicer):
    """Sends machines that ``change`` has had its hands on."""

    async def List(self, request, context):
        async for page in super().List(request, context):
            for machine in page.machines:
                self.change(machine)
            yield page


class NoState(Changed):
    def change(self, machine):
        machine.state = pb.MACHINE_STATE_UNSPECIFIED


class NoHost(Changed):
    def change(self, machine):
        machine.ClearField("host")


class SlotWithHost(Changed):
    def change(self, machine):
        machine.host.ref = "made-up"


class NewerState(Changed):
    def change(self, machine):
        machine.state = 42


class NegativePrice(Changed):
    def change(self, machine):
        machine.price_per_hour = -1


class TakesAll(CapacityServicer):
    """Takes a call without a sender for one of somebody."""

    async def Drain(self, request, context):
        request.fence.shard = request.fence.shard or "somebody"
        return await super().Drain(request, context)


class RefusesWhole(CapacityServicer):
    """Refuses a whole call for one order without a machine."""

    async def Drain(self, request, context):
        if not all(order.machine for order in request.orders):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "an order without a machine.")
        return await super().Drain(request, context)


class WithoutText(CapacityServicer):
    async def Drain(self, request, context):
        if not request.fence.shard:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "")
        return await super().Drain(request, context)


class FewOrders(CapacityServicer):
    async def Drain(self, request, context):
        if len(request.orders) > 100:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "100 orders are enough.")
        return await super().Drain(request, context)


class Forgets(CapacityServicer):
    """Answers only a hundred ids of a Get."""

    async def Get(self, request, context):
        del request.machines[100:]
        return await super().Get(request, context)


class EachTime(CapacityServicer):
    """Answers an id as often as it is asked for, and any number of them."""

    async def Get(self, request, context):
        answers = pb.GetResponse()
        for start in range(0, len(request.machines), 1000):
            part = pb.GetRequest(machines=request.machines[start : start + 1000])
            found = await super().Get(part, context)
            machines = {machine.id: machine for machine in found.machines}
            answers.machines.extend(machines[i] for i in part.machines if i in machines)
            answers.unknown.extend(i for i in part.machines if i not in machines)
        return answers


class EachOfFew(EachTime):
    async def Get(self, request, context):
        if len(request.machines) > 1000:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "1000 ids are enough.")
        return await super().Get(request, context)


class FewIds(CapacityServicer):
    async def Get(self, request, context):
        if len(request.machines) > 999:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "999 ids are enough.")
        return await super().Get(request, context)


class VagueLimit(CapacityServicer):
    """Says of too many ids that they do not suit the state of something."""

    async def Get(self, request, context):
        if len(request.machines) > 1000:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "too many.")
        return await super().Get(request, context)


class NoLimit(CapacityServicer):
    """Answers any number of ids, each once."""

    async def Get(self, request, context):
        ids, answers = list(dict.fromkeys(request.machines)), pb.GetResponse()
        for start in range(0, len(ids), 1000):
            part = pb.GetRequest(machines=ids[start : start + 1000])
            answers.MergeFrom(await super().Get(part, context))
        return answers


class EachOfMany(NoLimit):
    """Answers many ids with one of them as often as it is asked for."""

    async def Get(self, request, context):
        answers = await super().Get(request, context)
        if len(request.machines) > 5000:
            answers.machines.extend([*answers.machines] * 9)
        return answers


class Long(CapacityServicer):
    """Keeps a reservation however long it is; ``List`` has pages of less than 4 MiB."""

    async def Drain(self, request, context):
        texts = {order.machine: order.reservation for order in request.orders}
        for order in request.orders:
            order.reservation = ""
        answer = await super().Drain(request, context)
        known = self.provider.machines
        for ack in answer.acks:
            if ack.machine in known and ack.HasField("snapshot"):
                self.provider.put(replace(known[ack.machine], reservation=texts[ack.machine]))
                ack.snapshot.reservation = texts[ack.machine]
        return answer


class LongPages(Long):
    async def List(self, request, context):
        whole = pb.ListPage()
        async for page in super().List(request, context):
            whole.MergeFrom(page)
        yield whole


class CutsTexts(CapacityServicer):
    async def Drain(self, request, context):
        for order in request.orders:
            order.reservation = order.reservation[:1000]
        return await super().Drain(request, context)


class Strict(CapacityServicer):
    """Refuses messages of a newer version."""

    async def Get(self, request, context):
        if len(request.SerializeToString()) != request.ByteSize() or request.HasField is None:
            raise AssertionError
        known = pb.GetRequest(machines=request.machines)
        if request.SerializeToString() != known.SerializeToString():
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "an unknown field.")
        return await super().Get(request, context)


FAULTS = {
    "one page": (OnePage, {"list-pages"}),
    "pages after the end": (
        GoesOn,
        {"list-whole", "list-pages", "list-columns", "list-shard", "list-lost-cursor"},
    ),
    "no state": (NoState, {"enumerations"}),
    "no host": (NoHost, {"hosts-and-clusters"}),
    "a slot with a host": (SlotWithHost, {"hosts-and-clusters"}),
    "a newer state": (NewerState, set()),
    "a price below 0": (
        NegativePrice,
        {"list-whole", "list-pages", "list-columns", "list-shard", "list-lost-cursor"},
    ),
    "takes a call of nobody": (TakesAll, {"without-a-sender"}),
    "says nothing": (WithoutText, {"without-a-sender"}),
    "refuses all for one": (RefusesWhole, {"malformed-order"}),
    "few orders": (FewOrders, {"big-call"}),
    "forgets": (Forgets, {"big-call", "big-get"}),
    "answers an id each time": (EachTime, {"big-get"}),
    "answers an id each time, of few": (EachOfFew, {"big-get"}),
    "answers an id each time, of many": (EachOfMany, {"big-get"}),
    "few ids": (FewIds, {"big-get"}),
    "a limit for a vague reason": (VagueLimit, {"big-get"}),
    "any number of ids": (NoLimit, set()),
    "long texts in short pages": (Long, set()),
    "long texts in a long page": (LongPages, {"long-texts", "list-pages"}),
    "cuts texts": (CutsTexts, {"long-texts"}),
    "strict": (Strict, {"newer-caller"}),
}


@asynccontextmanager
async def served(servicer, *, is_healthy=True, is_reflected=True, is_reading=True):
    server = new_server([Statuses(SERVICE)] if is_reading else [])
    pb_grpc.add_CapacityProviderServicer_to_server(servicer, server)
    if is_healthy is not None:
        state = health.aio.HealthServicer()
        status = health_pb2.HealthCheckResponse.ServingStatus.Value(
            "SERVING" if is_healthy else "NOT_SERVING"
        )
        await state.set(SERVICE, status)
        health_pb2_grpc.add_HealthServicer_to_server(state, server)
    if is_reflected:
        reflection.enable_server_reflection([SERVICE], server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield server, f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


async def tried(servicer, checks=SOME, **options):
    settings = KitSettings(int(time.time() * 1000), seconds=5.0)
    async with served(servicer, **options) as (_, address):
        return await conform(address, Security(), settings, checks)


def failed(report):
    return {each.check.name for each in report.failed}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_fails_its_own_lines(fault):
    async def run():
        servicer, lines = FAULTS[fault]
        return await tried(servicer(timed())), lines

    report, lines = asyncio.run(run())
    assert failed(report) == lines, report.failed


def test_a_state_of_a_newer_version_is_skipped_and_named():
    async def run():
        return await tried(NewerState(timed()), [c for c in CHECKS if c.name == "enumerations"])

    [result] = asyncio.run(run()).results
    assert (result.verdict, result.what) == (
        "skipped",
        "unknown to this version of the kit: state 42",
    )


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ({"is_healthy": False}, {"health"}),
        ({"is_healthy": None}, {"health"}),
        ({"is_reflected": False}, {"reflection"}),
        ({"is_reading": False}, {"unreadable"}),
        ({}, set()),
    ],
)
def test_what_is_not_of_the_servicer_is_missed(options, lines):
    async def run():
        return await tried(CapacityServicer(timed()), **options)

    assert failed(asyncio.run(run())) == lines


def test_a_provider_that_goes_away_fails_one_line_and_what_it_has_is_told(monkeypatch):
    monkeypatch.setattr("providers.conformance.run.CONNECT_SECONDS", 0.2)

    async def run():
        stopped = []
        async with served(CapacityServicer(timed())) as (server, address):

            def done(result):
                if result.check.name == "create-conflict":
                    stopped.append(asyncio.ensure_future(server.stop(None)))

            names = ("create-conflict", "revision", "stale-epoch")
            checks = [check for check in CHECKS if check.name in names]
            settings = KitSettings(int(time.time() * 1000), seconds=5.0)
            return await conform(address, Security(), settings, checks, done)

    report = asyncio.run(run())
    assert [each.verdict for each in report.results] == ["passed", "failed", "skipped"]
    assert report.results[2].what == "the provider does not answer any more"
    assert set(report.left) == set(report.used) == {"m0"}
