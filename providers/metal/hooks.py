"""What does the work on a machine: commands without a shell, or HTTP; read from plain data.

A hook is called with what ``Call.words`` names: a command has them in its environment
(``BIGFLEET_MACHINE``), a request as headers (``Bigfleet-Machine``, percent-encoded). In an argument
or a URL ``{machine}`` stands for the same; in a URL it is percent-encoded. The bootstrap blob is a
command's standard input, and the body of a request: never an argument, header or variable.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from models.documents.faults import faults_of, shown
from models.documents.fields import Positive, Seconds, Text
from models.errors import Fault, InputFault
from models.nearest import did_you_mean
from providers.transport import is_loopback

SHAPE = ConfigDict(strict=True, extra="forbid", frozen=True)


class Kind(StrEnum):
    """What a hook is for."""

    COMMISSION = "commission"
    CONFIGURE = "configure"
    DRAIN = "drain"
    RELEASE = "release"
    HEALTH = "health"


@dataclass(frozen=True, slots=True)
class Call:
    """What a hook is told.

    Attributes
    ----------
    key
        Of the operation: the same when it is run again after a crash or with a shorter grace.
    grace_seconds
        What is left of the grace of a drain.
    user_data
        The bootstrap blob: never logged, recorded or stored.
    """

    kind: Kind
    machine: str
    host: str
    key: str = ""
    cluster: str = ""
    reservation: str = ""
    grace_seconds: int = 0
    user_data: bytes = field(default=b"", repr=False)

    def words(self) -> dict[str, str]:
        """Give what may be said in arguments, headers and variables, by name."""
        return {
            "hook": str(self.kind),
            "machine": self.machine,
            "host": self.host,
            "key": self.key,
            "cluster": self.cluster,
            "reservation": self.reservation,
            "grace_seconds": str(self.grace_seconds),
        }


_WORDS = frozenset(Call(Kind.DRAIN, "", "").words())


def _listed(value: object) -> object:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"{shown(value)} is not a list of a program and its arguments.")
    return tuple(value)


class Hook(BaseModel):
    """One hook: ``command`` or ``url``, and how long it may take.

    Attributes
    ----------
    timeout
        Seconds until it is given up; of a drain beyond the grace.
    expected
        Seconds that it mostly takes; None: as long as it may. Of a drain beside the grace.
    idempotent
        It may be called again with the same key when nobody knows how a call ended.
    """

    model_config = SHAPE

    command: Annotated[tuple[Text, ...], BeforeValidator(_listed)] | None = None
    url: Text | None = None
    headers: dict[str, str] = Field(default_factory=dict, repr=False)
    timeout: Annotated[Seconds, Field(gt=0)] = 300.0
    expected: Seconds | None = None
    idempotent: bool = True

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("says neither or both of command and url; give one.")
        if self.headers and self.url is None:
            raise ValueError("has headers; only a url has.")
        for text in self.command or (self.url,):
            _check_words(str(text))
        if self.command is not None and not self.command[0]:
            raise ValueError("has an empty text for a program.")
        if self.url is not None:
            _check_url(str(self.url))
        for name, value in self.headers.items():
            if not (name.isascii() and name.replace("-", "").isalnum() and value.isprintable()):
                raise ValueError(f"the header {shown(name)} cannot be sent; mend its name or text.")
        return self


class HealthHook(Hook):
    """A hook that says how a machine is: OK, SUSPECT or DEAD, in the last line of what it says.

    ``every``: seconds from one round to the next; ``at_once``: machines asked at a time.
    """

    every: Annotated[Seconds, Field(ge=1)] = 60.0
    at_once: Positive = 8


class Hooks(BaseModel):
    """All hooks of a provider; ``at_once``: how many of them run at a time, without ``health``.

    Without ``commission`` no machine may be SPECULATIVE, without ``release`` one that could not be
    configured is just idle again, and without ``health`` nobody knows how machines are.
    """

    model_config = SHAPE

    configure: Hook
    drain: Hook
    commission: Hook | None = None
    release: Hook | None = None
    health: HealthHook | None = None
    at_once: Positive = 64

    def of(self, kind: Kind) -> Hook | None:
        """Give the hook of a kind, None where there is none."""
        return {
            Kind.COMMISSION: self.commission,
            Kind.CONFIGURE: self.configure,
            Kind.DRAIN: self.drain,
            Kind.RELEASE: self.release,
            Kind.HEALTH: self.health,
        }[kind]


def hooks_from(mapping: object) -> Hooks:
    """Read hooks as YAML or JSON give them; durations as in 10m, null is absent.

    Raises
    ------
    InputFault
        With every fault, each with its path and value.
    """
    if not isinstance(mapping, Mapping):
        raise InputFault([Fault("", f"{shown(mapping)} is not a mapping of hooks.")])
    given = {key: _without_nulls(value) for key, value in mapping.items() if value is not None}
    try:
        return Hooks.model_validate(given)
    except ValidationError as error:
        raise InputFault(faults_of(error, Hooks, "")) from None


def _without_nulls(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {key: each for key, each in value.items() if each is not None}


def _check_words(text: str) -> None:
    """Refuse a word in braces that no call has."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{shown(text)}: {error}; write {{{{ for a brace.") from None
    for _, word, spec, conversion in parts:
        if word is not None and (word not in _WORDS or spec or conversion):
            guess = did_you_mean(word, _WORDS)
            raise ValueError(f"{shown(text)} has {{{word}}}, which no hook is told{guess}")


def _check_url(url: str) -> None:
    """Refuse what is no https, nor http to this machine: nobody else may read the blob."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"{shown(url)} is no URL ({error}).") from None
    if parts.scheme not in ("http", "https") or not host or "{" in parts.netloc:
        raise ValueError(f"{shown(url)} is no URL as in https://maas.example.org/drain.")
    if parts.username is not None or parts.fragment:
        raise ValueError(f"{shown(parts.path)} has a user or a fragment; use headers.")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError(f"{shown(url)} holds what must be percent-encoded.")
    if parts.scheme == "http" and not is_loopback(f"[{host}]:0" if ":" in host else f"{host}:0"):
        raise ValueError(f"{shown(url)} is neither https nor loopback.")
