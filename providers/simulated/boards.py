"""What the boards beside simulated machines say over HTTP, as a BMC would: ``GET /health/ID``.

Answers ``{"machine": "m1", "health": "OK"}``, and 404 for a machine that is not listed. A node that
is dead to its provider has its board still. Plain HTTP, so on loopback only.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import unquote

from models.errors import Fault, InputFault
from providers.simulated.provider import SimulatedProvider
from providers.transport import host_and_port, is_loopback

_PATH = "/health/"
_ANSWER_SECONDS = 5.0
"""A caller that says nothing for so long is left."""


@asynccontextmanager
async def boards(provider: SimulatedProvider, address: str) -> AsyncIterator[int]:
    """Answer while the block runs; yield the port.

    Raises
    ------
    InputFault
        When the address cannot be had, or is not loopback.
    """
    host, port = host_and_port(address)
    if not is_loopback(address):
        raise InputFault([Fault(address, "is not on loopback, where boards answer.")])

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Whatever a caller does wrong is its own loss.
        with suppress(OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_ANSWER_SECONDS):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(response(provider, request.decode("latin-1")))
                await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(answer, host, port)
    except OSError:
        raise InputFault([Fault(address, "cannot be bound; is it taken?")]) from None
    async with server:
        yield int(server.sockets[0].getsockname()[1])


def response(provider: SimulatedProvider, request: str) -> bytes:
    """Give the answer to a request as it came, head and all."""
    method, _, rest = request.partition(" ")
    path = rest.partition(" ")[0]
    if method != "GET" or not path.startswith(_PATH):
        return _written("404 Not Found", {"error": f"ask GET {_PATH}ID"})
    machine = unquote(path.removeprefix(_PATH))
    health = provider.cloud.health(machine, provider.clock())
    if health is None:
        return _written("404 Not Found", {"error": f"there is no machine {machine!r}"})
    return _written("200 OK", {"machine": machine, "health": str(health)})


def _written(status: str, body: dict[str, str]) -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"
    return f"{head}\r\nConnection: close\r\n\r\n".encode() + content
