"""An address and who is trusted there: what those that serve and those that call are told alike."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from providers.transport import Security

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

FILE = click.Path(path_type=Path)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What the options said; files are read when it is used."""

    address: str
    certificate: Path | None
    key: Path | None
    authority: Path | None
    plain_text: bool

    def security(self) -> "Security":
        """Give the same for gRPC, which only here is imported."""
        from providers.transport import Security

        return Security(self.certificate, self.key, self.authority, self.plain_text)

    def bound(self, port: int) -> str:
        """Give the address with the port that was had in place of the one asked for."""
        return f"{self.address.rpartition(':')[0]}:{port}" if port else self.address


def quiet_grpc() -> None:
    """Keep gRPC, once imported, from writing lines of its own: faults are told in our words."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")


def gathering(
    command: Decorated, name: str, *options: Callable[[Decorated], Decorated]
) -> Decorated:
    """Add options, one for each field of ``Endpoint``, which the command gets as ``name``."""

    @wraps(command)
    def gathered(*arguments: Any, **values: Any) -> Any:
        endpoint = Endpoint(**{field: values.pop(field) for field in Endpoint.__slots__})
        return command(*arguments, **{name: endpoint}, **values)

    for option in reversed(options):
        option(gathered)
    return gathered  # type: ignore[return-value]
