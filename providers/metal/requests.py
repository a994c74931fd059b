"""Ask a hook over HTTP: one POST, whose body is the bootstrap blob, to https or loopback only."""

import asyncio
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import suppress
from urllib.parse import quote, urlsplit

from providers.metal.hooks import Call
from providers.metal.outcome import MOST_OUTPUT_BYTES, Outcome, last_line


async def ask(
    url: str, headers: Mapping[str, str], call: Call, seconds: float, threads: Executor
) -> Outcome:
    """Post to a URL and wait for its answer, at most so many ``seconds``.

    2xx is success, anything else a failure, redirections too: the blob goes where the settings say.
    No proxy is used. When time is up, or this is cancelled, the connection is closed.
    """
    words = {word: quote(text, safe="") for word, text in call.words().items()}
    told = {f"Bigfleet-{word.replace('_', '-').title()}": text for word, text in words.items()}
    address = urlsplit(url.format_map(words))
    target = address.path or "/"
    if address.query:
        target += f"?{address.query}"
    assert address.hostname is not None
    is_tls = address.scheme == "https"
    connection = (http.client.HTTPSConnection if is_tls else http.client.HTTPConnection)(
        address.hostname, address.port, timeout=seconds
    )
    # Never opened again by itself: once it is cut nothing more may be sent.
    connection.auto_open = 0
    is_over = threading.Event()
    loop = asyncio.get_running_loop()
    answering = loop.run_in_executor(
        threads, _posted, connection, is_over, target, call.user_data, {**told, **headers}
    )
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.shield(answering)
    except TimeoutError:
        return Outcome(f"{call.kind} took longer than {seconds:g} s and was given up.")
    finally:
        is_over.set()
        _cut(connection)
        # The thread comes back at once now, or from a connect when the system gives that up.
        answering.add_done_callback(lambda done: done.cancelled() or done.exception())


def _posted(
    connection: http.client.HTTPConnection,
    is_over: threading.Event,
    target: str,
    body: bytes,
    headers: Mapping[str, str],
) -> Outcome:
    where = f"{connection.host}:{connection.port}"
    try:
        connection.connect()
        # From here on a cut ends it; before there was nothing to cut.
        if is_over.is_set():
            return Outcome(f"{where} was reached too late.")
        connection.request("POST", target, body, dict(headers))
        answer = connection.getresponse()
        said = last_line(answer.read(MOST_OUTPUT_BYTES))
    except (OSError, http.client.HTTPException, ssl.SSLError) as error:
        return Outcome(f"{where} gave no answer ({error or type(error).__name__}).")
    finally:
        connection.close()
    if 200 <= answer.status < 300:
        return Outcome("", said)
    return Outcome(f"{where} answered {answer.status} {answer.reason}.", said)


def _cut(connection: http.client.HTTPConnection) -> None:
    """End whatever a thread waits for on a connection."""
    wire = connection.sock
    if wire is not None:
        with suppress(OSError):
            # Not TLS's own shutdown: what a thread then sent would go out in plain text.
            socket.socket.shutdown(wire, socket.SHUT_RDWR)
