"""How our gRPC servers and clients are reached: addresses, TLS, limits, health and reflection."""

import asyncio
import ipaddress
import re
import ssl
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from models.errors import Fault, InputFault

GRACE_SECONDS = 5.0
"""How long calls that run may go on when a server stops."""

DRAIN_SECONDS = 0.1
"""How long a server that stops takes calls after its health says so: without it, gRPC cancels
those that callers had sent and nobody had taken up. One that comes later still is cancelled: the
caller repeats it elsewhere or later, as any call that nobody answered."""

MOST_BYTES = 64 * 2**20
"""Of a message, in both directions. gRPC takes 4 MiB by default, so pages stay below that."""

MOST_PORT = 65_535

_HOST_AND_PORT = re.compile(r"(?:\[([^\[\]\s]+)\]|([^\[\]:/\s]+)):([0-9]+)")
_SOCKETS = ("unix", "unix-abstract")
"""Addresses that are sockets of this machine, by what stands before the colon."""

_HALF = "TLS needs both a certificate and its key."

_OPTIONS = [
    ("grpc.max_receive_message_length", MOST_BYTES),
    ("grpc.max_send_message_length", MOST_BYTES),
]
_SERVER_OPTIONS = [
    *_OPTIONS,
    # By default gRPC shares ports: a second server on the same one would start without a word and
    # take half of the calls.
    ("grpc.so_reuseport", 0),
    # A caller may ask whether the connection lives as often as every ten seconds.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
]
_CLIENT_OPTIONS = [
    *_OPTIONS,
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # What may be repeated, and when, is decided in one place: ``providers.retrying``.
    ("grpc.enable_retries", 0),
]


@dataclass(frozen=True, slots=True)
class Security:
    """Files of TLS, in PEM.

    Attributes
    ----------
    certificate, key
        Our own: a server must have them; a client, where the server wants to know who calls.
    authority
        Whom we trust to vouch for the other side. A server that has it wants to know who calls.
    plain_text
        Without TLS: only on loopback, unless it is asked for by this name.
    """

    certificate: Path | None = None
    key: Path | None = None
    authority: Path | None = None
    plain_text: bool = False

    @property
    def is_tls(self) -> bool:
        """Tell whether any file is named."""
        return any((self.certificate, self.key, self.authority))


@asynccontextmanager
async def listening(
    server: aio.Server, address: str, security: Security, services: Sequence[str]
) -> AsyncIterator[int]:
    """Run a server with its services added; yield the port, which takes calls when this begins.

    ``services`` are the full names that health and reflection tell. Leaving the block, by return,
    error or cancellation, tells health so, takes calls for ``DRAIN_SECONDS`` more, then refuses new
    ones and gives running ones ``GRACE_SECONDS``.

    Raises
    ------
    InputFault
        When the address is none or cannot be had, a file of TLS cannot be used, or plain text would
        be heard beyond this machine.
    """
    state = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(state, server)
    reflection.enable_server_reflection(
        [*services, health.SERVICE_NAME, reflection.SERVICE_NAME], server
    )
    port = _bound(server, address, security)
    await server.start()
    for service in services:
        await state.set(service, health_pb2.HealthCheckResponse.SERVING)
    try:
        yield port
    finally:
        await state.enter_graceful_shutdown()
        try:
            await asyncio.sleep(DRAIN_SECONDS)
        finally:
            await server.stop(GRACE_SECONDS)


def new_server(interceptors: Sequence[aio.ServerInterceptor] = ()) -> aio.Server:
    """Give a server with our limits, that nothing has been added to."""
    return aio.server(options=_SERVER_OPTIONS, interceptors=interceptors)


def new_channel(address: str, security: Security) -> aio.Channel:
    """Give a channel to an address; it connects when it is used.

    Raises
    ------
    InputFault
        As for ``listening``.
    """
    check_address(address)
    if not security.is_tls:
        _refuse_plain_text(address, security)
        return aio.insecure_channel(address, options=_CLIENT_OPTIONS)
    authority, key, certificate = _read_all(address, security)
    credentials = grpc.ssl_channel_credentials(authority, key, certificate)
    return aio.secure_channel(address, credentials, options=_CLIENT_OPTIONS)


def host_and_port(address: str) -> tuple[str, int]:
    """Read HOST:PORT, or [IPV6]:PORT without the brackets; a port is 0 to 65535.

    Raises
    ------
    InputFault
        When it is neither.
    """
    found = _HOST_AND_PORT.fullmatch(address)
    if found is None:
        said = "is not HOST:PORT; IPv6 is written in brackets, as [::1]:7443."
        raise InputFault([Fault(address, said)])
    ipv6, host, port = found.groups()
    if ipv6 is not None:
        try:
            ipaddress.IPv6Address(ipv6)
        except ValueError:
            raise InputFault([Fault(address, f"{ipv6} is no address of IPv6.")]) from None
    if len(port) > 5 or int(port) > MOST_PORT:
        raise InputFault([Fault(address, f"port {port} is not 0 to {MOST_PORT}.")])
    return ipv6 or host, int(port)


def check_address(address: str) -> None:
    """Refuse what is neither HOST:PORT nor unix:PATH with an ``InputFault``.

    gRPC takes a port modulo 65536 without a word.
    """
    kind, _, path = address.partition(":")
    if kind not in _SOCKETS:
        host_and_port(address)
    elif not path:
        raise InputFault([Fault(address, "names no socket; write it as unix:PATH.")])


def is_loopback(address: str) -> bool:
    """Tell whether only this machine can be behind an address."""
    if address.partition(":")[0] in _SOCKETS:
        return True
    try:
        host, _ = host_and_port(address)
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except (InputFault, ValueError):
        return False


def _bound(server: aio.Server, address: str, security: Security) -> int:
    check_address(address)
    try:
        if not security.is_tls:
            _refuse_plain_text(address, security)
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, _server_credentials(address, security))
    except RuntimeError as error:
        # What follows tells of a variable of gRPC that helps nobody here.
        said, _, _ = str(error).partition(";")
        raise InputFault([Fault(address, f"cannot be bound ({said}); is it taken?")]) from None
    if not port and not address.startswith("unix"):
        raise InputFault([Fault(address, "cannot be bound; is it taken?")])
    return port


def _server_credentials(address: str, security: Security) -> grpc.ServerCredentials:
    authority, key, certificate = _read_all(address, security)
    if key is None or certificate is None:
        raise InputFault([Fault(address, _HALF)])
    return grpc.ssl_server_credentials(
        [(key, certificate)],
        root_certificates=authority,
        require_client_auth=authority is not None,
    )


def _read_all(address: str, security: Security) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Give authority, key and certificate; gRPC names no file, and ends the process without a key.

    Raises
    ------
    InputFault
        When there is a certificate without its key, or a file that is not what it should be.
    """
    if (security.certificate is None) is not (security.key is None):
        raise InputFault([Fault(address, _HALF)])
    read = _read(security.authority), _read(security.key), _read(security.certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for path in (security.authority, security.certificate):
        if path is not None:
            with _named(path, "holds no certificate in PEM"):
                context.load_verify_locations(path)
    if security.key is not None and security.certificate is not None:
        said = f"is not the key of {security.certificate} in PEM, without a password"
        with _named(security.key, said):
            # Without a word here OpenSSL would ask on the terminal for the word of a locked key.
            context.load_cert_chain(security.certificate, security.key, password=lambda: b"")
    return read


@contextmanager
def _named(path: Path, said: str) -> Iterator[None]:
    try:
        yield
    except (ssl.SSLError, ValueError) as error:
        why = getattr(error, "reason", None) or "it cannot be read"
        raise InputFault([Fault(str(path), f"{said} ({why}).")]) from None


def _refuse_plain_text(address: str, security: Security) -> None:
    if not (security.plain_text or is_loopback(address)):
        said = "is not loopback: give certificates, or ask for plain text by name (--plain-text)."
        raise InputFault([Fault(address, said)])


def _read(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputFault([Fault(str(path), f"cannot be read ({error.strerror}).")]) from None
