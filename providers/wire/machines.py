"""Machines and failures, one by one."""

from math import floor, isfinite

from google.protobuf.timestamp_pb2 import Timestamp

from models.failure import FailureClass
from models.machine import CapacityType, State
from providers.machine import Failure, Health, Machine, MachineClass
from providers.v1 import capacity_pb2 as pb
from providers.wire.enums import (
    CAPACITY_TYPE_OF,
    CAPACITY_TYPES,
    CLASS_OF,
    CLASSES,
    HEALTH_OF,
    HEALTHS,
    REFUSAL_OF,
    REFUSALS,
    STATE_OF,
    STATES,
)

NANOS = 1_000_000_000


def machine_to_wire(machine: Machine) -> pb.Machine:
    """Give the message of a machine."""
    kind = machine.kind
    message = pb.Machine(
        id=machine.id,
        state=_state_number(machine.state),
        shard=machine.shard,
        ownership_version=machine.ownership_version,
        cluster=machine.cluster,
        reservation=machine.reservation,
        host=pb.Host(ref=machine.host) if machine.host else None,
        reclaim_at=time_to_wire(machine.reclaim_at),
        health=HEALTHS[machine.health],
        instance_type=kind.instance_type,
        capacity_type=CAPACITY_TYPES[kind.capacity_type],
        interruption_probability=kind.interruption_probability,
        resources=kind.resources,
        labels=machine.labels,
        state_since=time_to_wire(machine.state_since),
        estimated_ready=time_to_wire(machine.estimated_ready),
        operation=machine.operation,
        last_error=failure_to_wire(machine.last_failure) if machine.last_failure else None,
        failed_from=_state_number(machine.failed_from),
        revision=machine.revision,
    )
    if kind.price_per_hour is not None:
        message.price_per_hour = kind.price_per_hour
    return message


def machine_from_wire(message: pb.Machine) -> Machine:
    """Read a machine.

    Raises
    ------
    ValueError
        When it has no id, or a price, a probability, an amount or a capacity type that cannot be.
    """
    if not message.id:
        raise ValueError("a machine has no id.")
    return Machine(
        id=message.id,
        state=STATE_OF.get(message.state),
        kind=_kind_from_wire(message, message.id),
        shard=message.shard,
        ownership_version=message.ownership_version,
        cluster=message.cluster,
        reservation=message.reservation,
        host=message.host.ref,
        labels=dict(message.labels),
        health=HEALTH_OF.get(message.health, Health.UNKNOWN),
        state_since=_time(message, "state_since"),
        estimated_ready=_time(message, "estimated_ready"),
        reclaim_at=_time(message, "reclaim_at"),
        operation=message.operation,
        last_failure=failure_from_wire(message.last_error)
        if message.HasField("last_error")
        else None,
        failed_from=STATE_OF.get(message.failed_from),
        revision=message.revision,
    )


def class_to_wire(kind: MachineClass) -> pb.MachineClass:
    """Give the message of what many machines have in common."""
    message = pb.MachineClass(
        instance_type=kind.instance_type,
        capacity_type=CAPACITY_TYPES[kind.capacity_type],
        interruption_probability=kind.interruption_probability,
        resources=kind.resources,
    )
    if kind.price_per_hour is not None:
        message.price_per_hour = kind.price_per_hour
    return message


def class_from_wire(message: pb.MachineClass) -> MachineClass:
    """Read what many machines have in common; errors as of ``machine_from_wire``."""
    return _kind_from_wire(message, message.instance_type)


def failure_to_wire(failure: Failure) -> pb.Error:
    """Give the message of a failure."""
    message = pb.Error(
        error_class=CLASSES[failure.failure_class],
        message=failure.message,
        at=time_to_wire(failure.at or None),
    )
    if failure.refusal is not None:
        message.refusal = REFUSALS[failure.refusal]
    return message


def failure_from_wire(message: pb.Error) -> Failure:
    """Read a failure; one of a class that we do not know is INTERNAL: it may have been done."""
    return Failure(
        CLASS_OF.get(message.error_class, FailureClass.INTERNAL),
        message.message,
        _time(message, "at") or 0.0,
        REFUSAL_OF.get(message.refusal),
    )


def time_to_wire(seconds: float | None) -> Timestamp | None:
    """Give a point in time, None of none."""
    if seconds is None:
        return None
    whole = floor(seconds)
    return Timestamp(seconds=whole, nanos=min(round((seconds - whole) * NANOS), NANOS - 1))


def _time(message: pb.Machine | pb.Error, name: str) -> float | None:
    """Read a point in time, None where there is none."""
    if not message.HasField(name):  # type: ignore[arg-type]
        return None
    time: Timestamp = getattr(message, name)
    return time.seconds + time.nanos / NANOS


def _state_number(state: State | None) -> pb.MachineState.ValueType:
    return pb.MACHINE_STATE_UNSPECIFIED if state is None else STATES[state]


def _kind_from_wire(message: pb.Machine | pb.MachineClass, name: str) -> MachineClass:
    price = message.price_per_hour if message.HasField("price_per_hour") else None
    if price is not None and not (isfinite(price) and price >= 0):
        raise ValueError(f"{name!r} has the price {price}; it is 0 or more, or left out.")
    chance = message.interruption_probability
    if not 0 <= chance <= 1:
        raise ValueError(f"{name!r} has the interruption probability {chance}, not 0 to 1.")
    if any(amount < 0 for amount in message.resources.values()):
        raise ValueError(f"{name!r} has a negative resource: {dict(message.resources)}.")
    return MachineClass(
        _capacity_type(message.capacity_type, name),
        message.instance_type,
        price,
        chance,
        dict(message.resources),
    )


def _capacity_type(number: int, name: str) -> CapacityType:
    """Read a capacity type. One that we do not know is no reason to forget a machine: it is taken
    for bare metal, which is never deleted, nor bought for its price.
    """
    if number == pb.CAPACITY_TYPE_UNSPECIFIED:
        raise ValueError(f"{name!r} has no capacity type.")
    return CAPACITY_TYPE_OF.get(pb.CapacityType.ValueType(number), CapacityType.BARE_METAL)
