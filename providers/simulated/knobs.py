"""What may be set about a simulated provider: the ``providers:`` block of a scenario, and more.

Files use camelCase where SPEC does (``instanceType``, ``capacityType``); durations are as in
``models.duration``; all that is left out is instant, unlimited and without a fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    model_validator,
)

from models.documents.faults import faults_of, shown
from models.documents.fields import Count, Key, Seconds, Share, Text
from models.duration import parse_duration
from models.errors import Fault, InputFault
from models.failure import FailureClass
from models.machine import CapacityType

KNOBS = ConfigDict(strict=True, extra="forbid", frozen=True, populate_by_name=True)


@dataclass(frozen=True, slots=True)
class Uniform:
    """A length of time between two, each as likely; a length that does not vary is both."""

    least: float = 0.0
    most: float = 0.0


@dataclass(frozen=True, slots=True)
class Lognormal:
    """A length of time that is mostly near its median and sometimes far above it."""

    median: float
    sigma: float


Time = Uniform | Lognormal

_MOST_SIGMA = 3.0
"""One in a thousand takes 10,000 times the median then: no longer a distribution, but a slip."""


def _time(value: Any) -> Time:
    """Read ``60s``, ``[40s, 90s]`` or ``{lognormal: {median: 90s, sigma: 0.5}}``.

    Read by hand: a union would refuse a slip in one of its forms once for each of them.
    """
    match value:
        case Uniform() | Lognormal():
            return value
        case [least, most]:
            pair = Uniform(parse_duration(least), parse_duration(most))
            if pair.least > pair.most:
                raise ValueError(f"{shown(value)} falls; write the shorter time first.")
            return pair
        case {"lognormal": {"median": median, "sigma": sigma, **other}, **more} if not (
            other or more
        ):
            is_number = isinstance(sigma, int | float) and not isinstance(sigma, bool)
            if not (is_number and 0 <= sigma <= _MOST_SIGMA):
                raise ValueError(f"sigma {shown(sigma)} is not from 0 to {_MOST_SIGMA:g}.")
            return Lognormal(parse_duration(median), float(sigma))
        case Mapping() | list() | tuple():
            said = "is no time; write 60s, [40s, 90s] or {lognormal: {median: 90s, sigma: 0.5}}."
            raise ValueError(f"{shown(value)} {said}")
        case _:
            seconds = parse_duration(value)
            return Uniform(seconds, seconds)


TimeKnob = Annotated[Uniform | Lognormal, PlainValidator(_time)]


def _listed(value: object) -> object:
    """Give a tuple for the list that files have."""
    if not isinstance(value, list | tuple):
        raise ValueError(f"{shown(value)} is not a list.")
    return tuple(value)


def _fail_kind(value: object) -> FailureClass | str:
    words = [*FailureClass, "hang", "late"]
    if value not in words:
        raise ValueError(f"{shown(value)} is not one of {', '.join(words)}.")
    return str(value) if value in ("hang", "late") else FailureClass(str(value))


class Match(BaseModel):
    """Which machines a rule is about; all that is given must hold. ``id`` is a glob."""

    model_config = KNOBS

    id: Text | None = None
    instance_type: Annotated[Text | None, Field(alias="instanceType")] = None
    zone: Text | None = None
    # Strict enumerations take only members; files hold their values.
    capacity_type: Annotated[
        Annotated[CapacityType, Field(strict=False)] | None, Field(alias="capacityType")
    ] = None


Since = Annotated[Seconds, Field(alias="from")]


def _check_window(since: float, until: float) -> None:
    if since >= until:
        raise ValueError(f"from {since:g} s until {until:g} s holds at no time.")


class Fail(BaseModel):
    """Calls that go wrong, from a time until another.

    ``hang`` is accepted and never ends; ``late`` answers INTERNAL and is done all the same after
    ``after``. Any other class refuses the order.
    """

    model_config = KNOBS

    rpc: Literal["create", "configure", "drain", "delete"]
    match: Match = Match()
    kind: Annotated[
        FailureClass | Literal["hang", "late"], PlainValidator(_fail_kind), Field(alias="class")
    ]
    since: Since = 0.0
    until: Seconds = inf
    after: Seconds = 0.0

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.after and self.kind != "late":
            raise ValueError("has an after; only what is late has.")
        if self.kind == "late" and self.rpc != "create":
            raise ValueError(f"{self.rpc} cannot be late; only create can.")
        _check_window(self.since, self.until)
        return self


class Listing(BaseModel):
    """Lists that are not the truth: empty, an error, or partial though they claim to be whole."""

    model_config = KNOBS

    returns: Literal["empty", "error", "partial"]
    hide: Match | None = None
    since: Since = 0.0
    until: Seconds = inf

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if (self.hide is not None) != (self.returns == "partial"):
            raise ValueError("a partial List says what it hides, and no other does.")
        _check_window(self.since, self.until)
        return self


class Rate(BaseModel):
    """Tokens a second; beyond them calls and machines are THROTTLED.

    ``burst`` is how many machines may come at once, ``machines`` how many then follow a second.
    """

    model_config = KNOBS

    calls: Annotated[float, Field(gt=0)] = inf
    machines: Annotated[float, Field(gt=0)] = inf
    burst: Annotated[float, Field(ge=1)] = 1.0


def _rate(value: object) -> object:
    if not isinstance(value, int | float | Mapping | Rate):
        said = "is no rate; write calls a second, or {calls: 2, machines: 2, burst: 9}."
        raise ValueError(f"{shown(value)} {said}")
    return {"calls": value} if isinstance(value, int | float) else value


class Quota(BaseModel):
    """How many machines with a host there may be of those that match, else the order is refused."""

    model_config = KNOBS

    match: Match = Match()
    count: Count
    kind: Annotated[FailureClass, Field(alias="class", strict=False)] = FailureClass.QUOTA


class Reclaims(BaseModel):
    """Spot machines that the cloud takes back by their probabilities, told ``notice`` before."""

    model_config = KNOBS

    notice: Seconds = 120.0


class Prices(BaseModel):
    """Prices of spot classes that move: each step by a factor up to 1 + ``drift`` either way."""

    model_config = KNOBS

    every: Annotated[Seconds, Field(ge=1)] = 300.0
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

    create: TimeKnob = Uniform()
    configure: TimeKnob = Uniform()
    drain: TimeKnob = Uniform()
    delete: TimeKnob = Uniform()
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


BARE_METAL: Mapping[str, Any] = {
    "create": ["2h", "6h"],
    "configure": ["10m", "20m"],
    "drain": "2m",
    "noDelete": True,
}
"""Knobs of ``kind: bare-metal``: commissioning takes hours, and nothing is ever given back."""

KINDS: Mapping[str, Mapping[str, Any]] = {"cloud": {}, "bare-metal": BARE_METAL}


def _without_nulls(value: Any) -> Any:
    """Leave out what is null in mappings, those in lists too."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


def knobs_from(mapping: object, path: str = "") -> Knobs:
    """Read one provider of a ``providers:`` block; what is absent or null has its default.

    ``kind: bare-metal`` begins with other defaults than a cloud. ``path`` begins each fault's path.

    Raises
    ------
    InputFault
        With every fault, each with its path and value.
    """
    told = {} if mapping is None else mapping
    if not isinstance(told, Mapping):
        raise InputFault([Fault(path, f"{shown(told)} is not a mapping of knobs.")])
    given = _without_nulls(told)
    kind = given.pop("kind", "cloud")
    faults = []
    if kind not in list(KINDS):
        where = f"{path}.kind" if path else "kind"
        faults.append(Fault(where, f"{shown(kind)} is not one of {', '.join(KINDS)}."))
    try:
        knobs = Knobs.model_validate({**KINDS.get(str(kind), {}), **given})
    except ValidationError as error:
        faults += faults_of(error, Knobs, path)
    if faults:
        raise InputFault(faults)
    return knobs
