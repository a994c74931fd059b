"""Real servers and real channels: what is called over the wire, and what comes back."""

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from memory_provider import MemoryProvider, slots

from models.errors import (
    InputFault,
    ProviderRefused,
    ProviderThrottled,
    ProviderUnavailable,
    Unsupported,
)
from models.machine import State
from providers.client import connected
from providers.columns import columns_of, machines_of
from providers.listing import ListEnd, Page
from providers.machine import Health, Refusal
from providers.orders import ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence
from providers.port import MOST_ORDERS, Found
from providers.server import SERVICE, serving
from providers.transport import (
    MOST_BYTES,
    Security,
    listening,
    new_server,
)
from providers.v1 import capacity_pb2 as pb
from providers.v1 import capacity_pb2_grpc as pb_grpc

FENCE = Fence("s0", 1, 1)


@asynccontextmanager
async def remote(provider, **options):
    """Give a provider as it is over a channel of its own."""
    async with serving(provider) as port, connected(f"127.0.0.1:{port}", **options) as client:
        yield client


@asynccontextmanager
async def stub(provider):
    async with serving(provider) as port, aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield pb_grpc.CapacityProviderStub(channel)


def test_a_machine_goes_through_its_life_over_the_wire():
    async def run():
        memory = MemoryProvider(slots(1))
        async with remote(memory) as provider:
            [ack] = await provider.create(FENCE, [CreateOrder("m0", 1, "a/n")])
            assert (ack.operation, ack.snapshot.state) == ("m0#1", State.CREATING)
            assert (ack.snapshot.shard, ack.snapshot.reservation) == ("s0", "a/n")
            memory.end()
            [ack] = await provider.configure(FENCE, [ConfigureOrder("m0", "a", 1, "a/n", b"x")])
            assert (ack.snapshot.state, ack.snapshot.cluster) == (State.CONFIGURING, "a")
            memory.end()
            [ack] = await provider.drain(FENCE, [DrainOrder("m0", 30, 1)])
            assert ack.snapshot.state is State.DRAINING
            memory.end()
            [ack] = await provider.delete(FENCE, [DeleteOrder("m0", 1)])
            assert ack.snapshot.state is State.DELETING
            memory.end()
            found = await provider.get(["m0", "nobody"])
            assert found == Found((memory.machines["m0"],), ("nobody",))
            assert found.machines[0].state is State.SPECULATIVE

    asyncio.run(run())


def test_one_bad_order_does_not_touch_the_others():
    async def run():
        memory = MemoryProvider(slots(64))
        orders = [CreateOrder(f"m{n}") for n in range(64)]
        orders[7], orders[9] = CreateOrder("nobody"), CreateOrder("")
        async with remote(memory) as provider:
            acks = await provider.create(FENCE, orders)
        assert [ack.machine for ack in acks] == [order.machine for order in orders]
        refused = {ack.machine: ack.failure.refusal for ack in acks if ack.failure}
        assert refused == {"nobody": Refusal.UNKNOWN_MACHINE, "": Refusal.MALFORMED}
        assert sum(memory.bought.values()) == 62

    asyncio.run(run())


def test_a_list_comes_as_pages_of_rows_and_ends():
    async def run():
        memory = MemoryProvider(slots(2500))
        async with remote(memory) as provider:
            pages = [page async for page in provider.list()]
            assert [len(page.machines) for page in pages] == [1000, 1000, 500]
            assert [page.end for page in pages] == [None, None, ListEnd("0.0:0", True)]
            assert [m for page in pages for m in page.machines] == [*memory.machines.values()]
            await provider.create(FENCE, [CreateOrder("m3")])
            memory.withdraw("m4")
            [changes] = [page async for page in provider.list("0.0:0")]
            assert [m.id for m in changes.machines] == ["m3"]
            assert (changes.gone, changes.end) == (("m4",), ListEnd("0.0:2", False))

    asyncio.run(run())


class Odd(MemoryProvider):
    """Answers with what it is told to, an exception or pages."""

    def __init__(self, machines, fault: Exception | None = None, pages=()):
        super().__init__(machines)
        self.fault, self.pages = fault, pages
        self.started, self.go_on = asyncio.Event(), asyncio.Event()

    async def create(self, fence, orders):
        if self.fault is not None:
            raise self.fault
        self.started.set()
        await self.go_on.wait()
        return await MemoryProvider.create(self, fence, orders)

    async def list(self, cursor="", *, shard="", columnar=False):
        for page in self.pages:
            if isinstance(page, Exception):
                raise page
            yield page


def test_columns_come_as_columns():
    async def run():
        machines = [*slots(3).values()]
        odd = Odd({}, pages=[Page((), columns_of(machines), (), ListEnd("c", True))])
        async with remote(odd) as provider:
            [page] = [page async for page in provider.list(columnar=True)]
        assert page.columns is not None
        assert list(machines_of(page.columns)) == machines

    asyncio.run(run())


def test_a_stream_that_breaks_is_a_list_without_an_end():
    async def run():
        pages = [Page((slots(1)["m0"],)), ProviderUnavailable("p", "lost it.")]
        seen = []
        async with remote(Odd({}, pages=pages)) as provider:
            with pytest.raises(ProviderUnavailable, match="lost it"):
                seen.extend([page async for page in provider.list()])
            async for page in provider.list():
                assert page.end is None
                break

    asyncio.run(run())


@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (ProviderUnavailable("p", "no answer."), ProviderUnavailable, "no answer"),
        (ProviderThrottled("p", "slow down.", 2.5), ProviderThrottled, "slow down"),
        (Unsupported("p", "no Delete here."), Unsupported, "no Delete here"),
        (ProviderRefused("p", "not you."), ProviderRefused, "not you"),
        (RuntimeError("secret"), ProviderUnavailable, "a fault of the provider (RuntimeError)"),
    ],
)
def test_errors_come_back_as_what_they_were(fault, kind, says, caplog):
    async def run():
        async with remote(Odd(slots(1), fault=fault), name="far") as provider:
            with pytest.raises(kind) as caught:
                await provider.create(FENCE, [CreateOrder("m0")])
            return caught.value

    caplog.set_level(logging.CRITICAL)
    error = asyncio.run(run())
    assert error.provider == "far"
    assert says in error.message
    assert "secret" not in error.message
    if isinstance(error, ProviderThrottled):
        assert error.retry_seconds == 2.5


def test_what_has_begun_goes_on_when_its_caller_has_gone():
    async def run():
        odd = Odd(slots(1))
        async with remote(odd, call_seconds=0.2) as provider:
            with pytest.raises(ProviderUnavailable, match="DEADLINE_EXCEEDED"):
                await provider.create(FENCE, [CreateOrder("m0")])
            assert odd.started.is_set()
            odd.go_on.set()
            await asyncio.sleep(0.1)
        assert odd.bought == {"m0": 1}

    asyncio.run(run())


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (pb.CreateRequest(orders=[pb.CreateOrder(machine="m0")]), "fence.shard is empty"),
        (
            pb.CreateRequest(
                fence=pb.Fence(shard="s" * 254), orders=[pb.CreateOrder(machine="m0")]
            ),
            "fence.shard has 254 bytes",
        ),
        (
            pb.CreateRequest(fence=pb.Fence(shard="s\0"), orders=[pb.CreateOrder(machine="m0")]),
            "fence.shard holds a NUL",
        ),
        (
            pb.CreateRequest(
                fence=pb.Fence(shard="s"), orders=[pb.CreateOrder()] * (MOST_ORDERS + 1)
            ),
            f"at most {MOST_ORDERS}",
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_refused_whole(request_, says):
    async def run():
        memory = MemoryProvider(slots(1))
        async with stub(memory) as calls:
            with pytest.raises(aio.AioRpcError) as caught:
                await calls.Create(request_)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert says in caught.value.details()
        assert not memory.bought

    asyncio.run(run())


def test_a_message_that_is_too_big_is_refused_on_either_side():
    async def run():
        blob = b"x" * (MOST_BYTES + 1)
        big = replace(slots(1)["m0"], labels={"k": "x" * MOST_BYTES})
        memory = MemoryProvider({"m0": big})
        async with remote(memory) as provider:
            with pytest.raises(ProviderRefused, match="larger than max"):
                await provider.configure(FENCE, [ConfigureOrder("m0", "a", user_data=blob)])
            with pytest.raises(ProviderUnavailable):
                await provider.get(["m0"])

    asyncio.run(run())


def test_nobody_there_is_unavailable_within_the_deadline():
    async def run():
        async with connected("127.0.0.1:1", call_seconds=2.0) as provider:
            with pytest.raises(ProviderUnavailable):
                await provider.get(["m0"])

    asyncio.run(run())


class Liar(MemoryProvider):
    """Answers for other machines than it was asked about."""

    async def create(self, fence, orders):
        acks = await MemoryProvider.create(self, fence, orders)
        return acks[:-1]


def test_answers_that_do_not_fit_the_orders_are_not_believed():
    async def run():
        async with remote(Liar(slots(2))) as provider:
            with pytest.raises(ProviderUnavailable, match="1 answers to 2 orders"):
                await provider.create(FENCE, [CreateOrder("m0"), CreateOrder("m1")])

    asyncio.run(run())


def test_fields_and_numbers_of_a_newer_peer_are_taken():
    async def run():
        raw = pb.CreateRequest(
            fence=pb.Fence(shard="s"), orders=[pb.CreateOrder(machine="m0")]
        ).SerializeToString()
        # Field 99, a number: what a newer minor version may add.
        newer = raw + bytes([0x98, 0x06, 0x07])
        memory = MemoryProvider(slots(1))
        async with serving(memory) as port, aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = channel.unary_unary(f"/{SERVICE}/Create")
            response = pb.TransitionResponse.FromString(await call(newer))
        assert response.acks[0].snapshot.state == pb.MACHINE_STATE_CREATING

    asyncio.run(run())


class Newer(pb_grpc.CapacityProviderServicer):
    """Says what only a newer minor version would."""

    async def List(self, request, context):
        machine = pb.Machine(id="m0", capacity_type=77, state=77, health=77)
        # Field 99, a number.
        yield pb.ListPage.FromString(
            pb.ListPage(machines=[machine], end=pb.ListEnd(full=True)).SerializeToString()
            + bytes([0x98, 0x06, 0x07])
        )


def test_what_a_newer_provider_says_is_in_transition():
    async def run():
        server = new_server()
        pb_grpc.add_CapacityProviderServicer_to_server(Newer(), server)
        async with (
            listening(server, "127.0.0.1:0", Security(), [SERVICE]) as port,
            connected(f"127.0.0.1:{port}") as provider,
        ):
            [page] = [page async for page in provider.list()]
        [machine] = page.machines
        assert (machine.id, machine.state, machine.health) == ("m0", None, Health.UNKNOWN)
        assert page.end == ListEnd("", True)

    asyncio.run(run())


def test_health_and_reflection_need_no_code_of_ours():
    async def run():
        async with (
            serving(MemoryProvider({})) as port,
            aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            health = health_pb2_grpc.HealthStub(channel)
            for name in ("", SERVICE):
                answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
                iter([asked])
            )
            listed = [answer async for answer in call]
        names = {each.name for each in listed[0].list_services_response.service}
        assert SERVICE in names
        assert "grpc.health.v1.Health" in names

    asyncio.run(run())


def test_a_second_server_on_a_port_fails_with_one_line():
    async def run():
        async with serving(MemoryProvider({})) as port:
            with pytest.raises(InputFault, match=f"127.0.0.1:{port}: cannot be bound") as caught:
                async with serving(MemoryProvider({}), f"127.0.0.1:{port}"):
                    pass
            assert "\n" not in str(caught.value)

    asyncio.run(run())


def test_running_calls_end_before_a_server_is_gone():
    async def run():
        odd = Odd(slots(1))
        serve = serving(odd)
        async with connected(f"127.0.0.1:{await serve.__aenter__()}") as provider:
            asked = asyncio.ensure_future(provider.create(FENCE, [CreateOrder("m0")]))
            await odd.started.wait()
            stopped = asyncio.ensure_future(serve.__aexit__(None, None, None))
            await asyncio.sleep(0.1)
            assert not stopped.done()
            odd.go_on.set()
            [ack] = await asked
            await stopped
        assert ack.snapshot.state is State.CREATING

    asyncio.run(run())


def test_a_get_of_too_many_ids_is_refused_and_a_repeated_one_answered_once():
    async def run():
        async with stub(MemoryProvider(slots(1))) as calls:
            names = ["m0", "x", *(f"n{n}" for n in range(MOST_ORDERS - 4)), "x", "m0"]
            found = await calls.Get(pb.GetRequest(machines=names))
            assert [machine.id for machine in found.machines] == ["m0"]
            assert list(found.unknown) == names[1:-2]
            with pytest.raises(aio.AioRpcError) as caught:
                await calls.Get(pb.GetRequest(machines=["m0"] * (MOST_ORDERS + 1)))
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert f"at most {MOST_ORDERS}" in caught.value.details()

    asyncio.run(run())


def test_a_client_asks_for_many_ids_in_several_calls():
    async def run():
        memory = MemoryProvider(slots(2 * MOST_ORDERS + 1))
        names = [*memory.machines]
        async with remote(memory) as provider:
            found = await provider.get(["x", *names, "y", *names])
        assert [machine.id for machine in found.machines] == names
        assert found.unknown == ("x", "y")

    asyncio.run(run())


@pytest.mark.parametrize("count", [0, 1, 700])
def test_rows_of_long_texts_come_in_pages_that_any_client_takes(count):
    async def run():
        long = [replace(m, labels={"k": "x" * 20_000}) for m in slots(count).values()]
        gone = tuple(f"{n}-{'x' * 20_000}" for n in range(300))
        odd = Odd({}, pages=[Page(tuple(long), None, gone, ListEnd("c", True))])
        async with stub(odd) as calls:
            pages = [page async for page in calls.List(pb.ListRequest())]
        assert [m.id for page in pages for m in page.machines] == [m.id for m in long]
        assert [name for page in pages for name in page.gone] == [*gone]
        assert [page.HasField("end") for page in pages] == [False] * (len(pages) - 1) + [True]
        assert max(page.ByteSize() for page in pages) < 4 * 2**20

    asyncio.run(run())


def test_a_machine_that_is_too_long_for_any_page_has_one_for_itself():
    async def run():
        machines = [*slots(3).values()]
        machines[1] = replace(machines[1], labels={"k": "x" * (5 * 2**20)})
        async with remote(Odd({}, pages=[Page(tuple(machines), end=ListEnd("c", True))])) as far:
            pages = [page async for page in far.list()]
        assert [machine.id for page in pages for machine in page.machines] == ["m0", "m1", "m2"]

    asyncio.run(run())


async def answer(call):
    """Wait for the first message of a call."""
    return await (call.read() if isinstance(call, aio.UnaryStreamCall) else call)


@pytest.mark.parametrize("raw", [b"\xff\xff", b"\x0a\x02\xff\xfe"])
@pytest.mark.parametrize("method", ["Create", "Configure", "Drain", "Delete", "Get", "List"])
def test_a_message_that_cannot_be_read_is_refused_and_no_fault_of_ours(method, raw, caplog):
    async def run():
        async with (
            serving(MemoryProvider(slots(1))) as port,
            aio.insecure_channel(f"127.0.0.1:{port}") as channel,
        ):
            call = channel.unary_stream if method == "List" else channel.unary_unary
            with pytest.raises(aio.AioRpcError) as caught:
                await answer(call(f"/{SERVICE}/{method}")(raw))
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "cannot be read" in caught.value.details()

    asyncio.run(run())
    assert not caplog.records


class Unwritable(MemoryProvider):
    """Says what no message can hold."""

    async def create(self, fence, orders):
        [ack] = await MemoryProvider.create(self, fence, orders)
        return [replace(ack, operation="\ud800")]

    async def get(self, machines):
        return Found((), ("\ud800",))

    async def list(self, cursor="", *, shard="", columnar=False):
        yield Page((), gone=("\ud800",))


def test_an_answer_that_cannot_be_written_is_a_fault_of_the_provider_and_logged(caplog):
    async def run():
        async with stub(Unwritable(slots(1))) as calls:
            order = pb.CreateRequest(
                fence=pb.Fence(shard="s"), orders=[pb.CreateOrder(machine="m0")]
            )
            for call in (
                calls.Create(order),
                calls.Get(pb.GetRequest(machines=["m0"])),
                anext(aiter(calls.List(pb.ListRequest()))),
            ):
                with pytest.raises(aio.AioRpcError) as caught:
                    await call
                assert caught.value.code() is grpc.StatusCode.INTERNAL
                assert "a fault of the provider" in caught.value.details()

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert [record.exc_info is not None for record in caplog.records] == [True] * 3


def test_calls_that_were_sent_before_a_server_is_told_to_stop_are_answered():
    async def run():
        serve = serving(MemoryProvider(slots(1)))
        async with aio.insecure_channel(f"127.0.0.1:{await serve.__aenter__()}") as channel:
            calls = pb_grpc.CapacityProviderStub(channel)
            request = pb.GetRequest(machines=["m0"])
            await calls.Get(request)
            sent = [asyncio.ensure_future(calls.Get(request)) for _ in range(200)]
            await asyncio.sleep(0)
            await serve.__aexit__(None, None, None)
            answers = await asyncio.gather(*sent)
        assert all(len(answer.machines) == 1 for answer in answers)

    asyncio.run(run())
