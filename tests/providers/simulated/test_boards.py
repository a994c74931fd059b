"""Boards that answer over HTTP how their machines are."""

import asyncio
import json
import socket
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from models.errors import InputFault
from providers.simulated.boards import boards
from providers.simulated.provider import SimulatedProvider
from tests.providers.simulated.clouds import cloud, hosts, match, slots


def asked(*paths: str):
    """Give status and body of the answer to each path."""
    world = cloud([*hosts(2), *hosts(1, "機 "), *slots(1)])
    world.kill(match(id="h1"), 0.0)

    def ask(url):
        try:
            with urlopen(url, timeout=10) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    async def run():
        async with boards(SimulatedProvider(world, lambda: 0.0), "127.0.0.1:0") as port:
            urls = [f"http://127.0.0.1:{port}{path}" for path in paths]
            return [await asyncio.to_thread(ask, url) for url in urls]

    return asyncio.run(run())


def test_health_by_machine():
    assert asked("/health/h0", "/health/h1", "/health/%E6%A9%9F%200", "/health/s0") == [
        (200, {"machine": "h0", "health": "OK"}),
        (200, {"machine": "h1", "health": "DEAD"}),
        (200, {"machine": "機 0", "health": "OK"}),
        (200, {"machine": "s0", "health": "UNKNOWN"}),
    ]


def test_what_is_not_there_is_told():
    assert asked("/health/x", "/") == [
        (404, {"error": "there is no machine 'x'"}),
        (404, {"error": "ask GET /health/ID"}),
    ]


def test_nonsense_harms_nobody():
    async def run():
        provider = SimulatedProvider(cloud(hosts(1)), lambda: 0.0)
        async with boards(provider, "127.0.0.1:0") as port:
            for sent in (b"", b"\0\r\n\r\n", b"x" * 100_000, b"POST /health/h0 HTTP/1.1\r\n\r\n"):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(sent)
                writer.write_eof()
                said = await reader.read()
                assert said == b"" or said.startswith(b"HTTP/1.1 404")
                writer.close()

    asyncio.run(run())


@pytest.mark.parametrize("address", ["0.0.0.0:0", "localhost", "127.0.0.1:99999", "127.0.0.1:x"])
def test_an_address_that_cannot_be_had_is_refused(address):
    async def run():
        async with boards(SimulatedProvider(cloud([]), lambda: 0.0), address):
            pass

    with pytest.raises(InputFault):
        asyncio.run(run())


def test_a_taken_port_is_refused():
    async def run(port):
        async with boards(SimulatedProvider(cloud([]), lambda: 0.0), f"127.0.0.1:{port}"):
            pass

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputFault, match="is it taken"):
            asyncio.run(run(taken.getsockname()[1]))
