"""What may be set about a simulated provider: the ``providers:`` block of a scenario, and more.

Files use camelCase where SPEC does (``instanceType``, ``capacityType``); durations are as in
``models.duration``; all that is left out is instant, unlimited and without a fault.
"""

from collections.abc import Callable
from enum import StrEnum
from math import inf
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from models.documents.fields import Count, Key, Seconds, Share, Text
from models.failure import FailureClass
from models.machine import CapacityType

KNOBS = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)


def _listed(value: object) -> object:
    """Give a tuple for the list that files have."""
    return tuple(value) if isinstance(value, list) else value


def _member(kind: type[StrEnum]) -> Callable[[object], object]:
    """Give a reader of the words of an enumeration; what is none is left for the type to refuse."""

    def read(value: object) -> object:
        return kind(value) if isinstance(value, str) and value in list(kind) else value

    return read


class Lognormal(BaseModel):
    """A length of time that is mostly near its median and sometimes far above it."""

    model_config = KNOBS

    median: Seconds
    sigma: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


class Skewed(BaseModel):
    """``{lognormal: {median: 90s, sigma: 0.5}}``."""

    model_config = KNOBS

    lognormal: Lognormal


Pair = Annotated[tuple[Seconds, Seconds], BeforeValidator(_listed)]


def _time(value: object) -> object:
    """Put a bare length of time as a pair of two equal ones."""
    return value if isinstance(value, list | tuple | dict | Skewed) else (value, value)


Time = Annotated[Pair | Skewed, BeforeValidator(_time)]
"""How long something takes: a length, a pair [40s, 90s] drawn uniformly, or a skewed one."""


class Match(BaseModel):
    """Which machines a rule is about; all that is given must hold. ``id`` is a glob."""

    model_config = KNOBS

    id: Text | None = None
    instance_type: Annotated[Text | None, Field(alias="instanceType")] = None
    zone: Text | None = None
    capacity_type: Annotated[
        CapacityType | None, BeforeValidator(_member(CapacityType)), Field(alias="capacityType")
    ] = None


Since = Annotated[Seconds, Field(alias="from")]


class Fail(BaseModel):
    """Calls that go wrong, from a time until another.

    ``hang`` is accepted and never ends; ``late`` answers INTERNAL and is done all the same after
    ``after``. Any other class refuses the order.
    """

    model_config = KNOBS

    rpc: Literal["create", "configure", "drain", "delete"]
    match: Match = Match()
    kind: Annotated[
        Literal["hang", "late"] | FailureClass,
        BeforeValidator(_member(FailureClass)),
        Field(alias="class"),
    ]
    since: Since = 0.0
    until: Seconds = inf
    after: Seconds = 0.0

    @model_validator(mode="after")
    def _after_is_of_late(self) -> Self:
        if self.after and self.kind != "late":
            raise ValueError("only what is late has an after.")
        if self.kind == "late" and self.rpc != "create":
            raise ValueError("only a create can be late.")
        return self


class Listing(BaseModel):
    """Lists that are not the truth: empty, an error, or partial though they claim to be whole."""

    model_config = KNOBS

    returns: Literal["empty", "error", "partial"]
    hide: Match = Match()
    since: Since = 0.0
    until: Seconds = inf


class Rate(BaseModel):
    """Tokens a second; beyond them calls and machines are THROTTLED.

    ``burst`` is how many machines may come at once, ``machines`` how many then follow a second.
    """

    model_config = KNOBS

    calls: Annotated[float, Field(gt=0)] = inf
    machines: Annotated[float, Field(gt=0)] = inf
    burst: Annotated[float, Field(ge=1)] = 1.0


def _rate(value: object) -> object:
    return {"calls": value} if isinstance(value, int | float) else value


class Quota(BaseModel):
    """How many machines with a host there may be of those that match, else the order is refused."""

    model_config = KNOBS

    match: Match = Match()
    count: Count
    kind: Annotated[
        Literal[FailureClass.QUOTA, FailureClass.CAPACITY, FailureClass.IP],
        BeforeValidator(_member(FailureClass)),
        Field(alias="class"),
    ] = FailureClass.QUOTA


class Reclaims(BaseModel):
    """Spot machines that the cloud takes back by their probabilities, told ``notice`` before."""

    model_config = KNOBS

    notice: Seconds = 120.0


class Prices(BaseModel):
    """Prices of spot classes that move: each step by a factor up to 1 + ``drift`` either way."""

    model_config = KNOBS

    every: Annotated[Seconds, Field(gt=0)] = 300.0
    drift: Share = 0.05
    least: Annotated[float, Field(gt=0, le=1)] = 0.5
    most: Annotated[float, Field(ge=1, allow_inf_nan=False)] = 2.0


class Timeouts(BaseModel):
    """When the provider itself gives a transition up: FAILED, with the reason."""

    model_config = KNOBS

    create: Seconds = inf
    configure: Seconds = inf
    drain: Seconds = inf
    delete: Seconds = inf


class Knobs(BaseModel):
    """All of one provider; ``Knobs()`` is a cloud without a limit in which nothing takes time."""

    model_config = KNOBS

    create: Time = (0.0, 0.0)
    configure: Time = (0.0, 0.0)
    drain: Time = (0.0, 0.0)
    delete: Time = (0.0, 0.0)
    rate: Annotated[Rate, BeforeValidator(_rate)] = Rate()
    fail: Annotated[tuple[Fail, ...], BeforeValidator(_listed)] = ()
    list: Annotated[tuple[Listing, ...], BeforeValidator(_listed)] = ()
    quotas: Annotated[tuple[Quota, ...], BeforeValidator(_listed)] = ()
    subnets: dict[Key, Count] = Field(default_factory=dict)
    """Addresses of each subnet (label ``bigfleet.dev/subnet``); others have enough."""
    reclaims: Reclaims | None = None
    prices: Prices | None = None
    timeouts: Timeouts = Timeouts()
    no_delete: Annotated[bool, Field(alias="noDelete")] = False
    """The provider has no Delete at all, as bare metal."""
