"""Where a service listens, and whom it trusts: options that all services have."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from providers.transport import Security

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Listen:
    """What the options said; files are read when the service begins."""

    address: str
    certificate: Path | None
    key: Path | None
    authority: Path | None
    plain_text: bool

    def security(self) -> "Security":
        """Give the same for a server; only here is gRPC imported."""
        from providers.transport import Security

        return Security(self.certificate, self.key, self.authority, self.plain_text)

    def bound(self, port: int) -> str:
        """Give the address with the port that was had in place of the one asked for."""
        return f"{self.address.rpartition(':')[0]}:{port}" if port else self.address


def listen_options(service: Decorated) -> Decorated:
    """Add ``--address`` and the options of TLS, given to the service as ``listen``."""
    file = click.Path(path_type=Path)

    @wraps(service)
    def gathered(**values: Any) -> Any:
        names = ("address", "certificate", "key", "authority", "plain_text")
        listen = Listen(**{name: values.pop(name) for name in names})
        return service(listen=listen, **values)

    for option in reversed(
        (
            click.option("--address", default="127.0.0.1:0", show_default=True,
                         help="HOST:PORT to listen at; port 0 takes a free one."),
            click.option("--tls-cert", "certificate", type=file, metavar="FILE",
                         help="Our certificate, in PEM."),
            click.option("--tls-key", "key", type=file, metavar="FILE",
                         help="Its key, in PEM."),
            click.option("--tls-ca", "authority", type=file, metavar="FILE",
                         help="Who vouches for callers, in PEM: only those are heard."),
            click.option("--plain-text", is_flag=True,
                         help="Listen without TLS beyond loopback too."),
        )
    ):  # fmt: skip
        option(gathered)
    return gathered  # type: ignore[return-value]
