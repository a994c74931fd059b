"""How our gRPC servers and clients are reached: addresses, TLS, limits, health and reflection."""

import ipaddress
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from models.errors import Fault, InputFault

GRACE_SECONDS = 5.0
"""How long calls that run may go on when a server stops."""

MOST_BYTES = 64 * 2**20
"""Of a message, in both directions. gRPC takes 4 MiB by default, so pages stay below that."""

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
    error or cancellation, refuses new calls and gives running ones ``GRACE_SECONDS``.

    Raises
    ------
    InputFault
        When the address cannot be had, a file of TLS cannot be used, or plain text would be heard
        beyond this machine.
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
        await server.stop(GRACE_SECONDS)


def new_server() -> aio.Server:
    """Give a server with our limits, that nothing has been added to."""
    return aio.server(options=_SERVER_OPTIONS)


def new_channel(address: str, security: Security) -> aio.Channel:
    """Give a channel to an address; it connects when it is used.

    Raises
    ------
    InputFault
        As for ``listening``.
    """
    if not security.is_tls:
        _refuse_plain_text(address, security)
        return aio.insecure_channel(address, options=_CLIENT_OPTIONS)
    credentials = grpc.ssl_channel_credentials(
        root_certificates=_read(security.authority),
        private_key=_read(security.key),
        certificate_chain=_read(security.certificate),
    )
    return aio.secure_channel(address, credentials, options=_CLIENT_OPTIONS)


def is_loopback(address: str) -> bool:
    """Tell whether only this machine can be behind an address."""
    if address.startswith(("unix:", "unix-abstract:")):
        return True
    host = address.rpartition(":")[0].removeprefix("[").removesuffix("]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bound(server: aio.Server, address: str, security: Security) -> int:
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
    key, certificate = _read(security.key), _read(security.certificate)
    if key is None or certificate is None:
        raise InputFault([Fault(address, "TLS needs both a certificate and its key.")])
    return grpc.ssl_server_credentials(
        [(key, certificate)],
        root_certificates=_read(security.authority),
        require_client_auth=security.authority is not None,
    )


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
