"""Whom a verb calls, and how it proves who it is: options that all callers of services have."""

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
class Callee:
    """What the options said; files are read when the call is made."""

    address: str
    certificate: Path | None
    key: Path | None
    authority: Path | None
    plain_text: bool

    def security(self) -> "Security":
        """Give the same for a client; only here is gRPC imported."""
        from providers.transport import Security

        return Security(self.certificate, self.key, self.authority, self.plain_text)


def call_options(verb: Decorated) -> Decorated:
    """Add ``--address`` and the options of TLS, given to the verb as ``callee``."""
    file = click.Path(path_type=Path)

    @wraps(verb)
    def gathered(*arguments: Any, **values: Any) -> Any:
        names = ("address", "certificate", "key", "authority", "plain_text")
        callee = Callee(**{name: values.pop(name) for name in names})
        return verb(*arguments, callee=callee, **values)

    for option in reversed(
        (
            click.option("--address", required=True, metavar="HOST:PORT", help="Where it listens."),
            click.option("--tls-ca", "authority", type=file, metavar="FILE",
                         help="Who vouches for the service, in PEM."),
            click.option("--tls-cert", "certificate", type=file, metavar="FILE",
                         help="Our certificate, in PEM, where the service wants one."),
            click.option("--tls-key", "key", type=file, metavar="FILE", help="Its key, in PEM."),
            click.option("--plain-text", is_flag=True,
                         help="Call without TLS beyond loopback too."),
        )
    ):  # fmt: skip
        option(gathered)
    return gathered  # type: ignore[return-value]
