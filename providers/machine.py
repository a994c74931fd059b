"""A machine as its provider reports it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from models.failure import FailureClass
from models.machine import CapacityType, State


class Health(StrEnum):
    """What the provider knows of a machine's health."""

    OK = "OK"
    SUSPECT = "SUSPECT"
    DEAD = "DEAD"
    UNKNOWN = "UNKNOWN"


class Refusal(StrEnum):
    """What makes an order INVALID. The value is what a person reads."""

    UNKNOWN_MACHINE = "the provider lists no such machine"
    STALE = "an older epoch, sequence or ownership version than the last accepted"
    NOT_OWNER = "another shard owns the machine"
    WRONG_STATE = "the operation cannot begin in this state"
    CONFLICT = "the operation runs already, with something else in it"
    UNSUPPORTED = "this kind of machine has no such operation"
    MALFORMED = "a field makes no sense"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an order was refused, or what went wrong last.

    Attributes
    ----------
    message
        For people: what was wrong, with the value.
    at
        Seconds since 1970; 0.0 where nobody knows.
    refusal
        Of INVALID ones.
    """

    failure_class: FailureClass
    message: str
    at: float = 0.0
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class MachineClass:
    """What many machines of a provider have in common.

    Attributes
    ----------
    price_per_hour
        USD; None = unknown, which is not zero.
    interruption_probability
        Per hour, 0 to 1.
    resources
        Cpu in millicores, memory and storage in bytes, devices in units.
    """

    capacity_type: CapacityType
    instance_type: str = ""
    price_per_hour: float | None = None
    interruption_probability: float = 0.0
    resources: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Machine:
    """How one machine stands. Times are seconds since 1970 on the provider's clock.

    Attributes
    ----------
    state
        None where the provider reports one that we do not know: in transition, never gone.
    shard, ownership_version, reservation
        As the last accepted order said; "" and 0: nobody yet.
    cluster
        Set while CONFIGURING, CONFIGURED and DRAINING; it may be in FAILED.
    host
        The provider's own name of what is really there; "" where nothing is.
    state_since, estimated_ready, reclaim_at
        When its state began, when the transition should be over, when the cloud takes it back.
        None: nobody knows, none runs, no notice.
    operation
        The operation that runs, or the last one; "" before the first.
    failed_from
        Of a FAILED machine: the state it failed in.
    revision
        Rises with each change of this machine.
    """

    id: str
    state: State | None
    kind: MachineClass
    shard: str = ""
    ownership_version: int = 0
    cluster: str = ""
    reservation: str = ""
    host: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    health: Health = Health.UNKNOWN
    state_since: float | None = None
    estimated_ready: float | None = None
    reclaim_at: float | None = None
    operation: str = ""
    last_failure: Failure | None = None
    failed_from: State | None = None
    revision: int = 0
