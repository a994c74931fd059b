"""Machines and failures, one by one."""

from collections.abc import Hashable, Iterable, Iterator
from math import floor, isfinite

from google.protobuf.timestamp_pb2 import Timestamp

from models.failure import FailureClass
from models.machine import CapacityType
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
    return next(machines_to_wire((machine,)))


def machines_to_wire(machines: Iterable[Machine]) -> Iterator[pb.Machine]:
    """Give the messages of machines.

    What those of a class have in common is written once and copied: maps are slow to write.
    """
    # With the class itself, so that no other one gets its address meanwhile.
    kinds: dict[int, tuple[MachineClass, pb.Machine]] = {}
    for machine in machines:
        known = kinds.get(id(machine.kind))
        if known is None:
            known = kinds[id(machine.kind)] = (machine.kind, pb.Machine())
            _write_kind(*known)
        message = pb.Machine()
        message.CopyFrom(known[1])
        _write(machine, message)
        yield message


def _write(machine: Machine, message: pb.Machine) -> None:
    """Write what is a machine's own. Few have all of it, and each field takes its time."""
    message.id = machine.id
    message.health = HEALTHS[machine.health]
    message.revision = machine.revision
    message.ownership_version = machine.ownership_version
    if machine.state is not None:
        message.state = STATES[machine.state]
    if machine.failed_from is not None:
        message.failed_from = STATES[machine.failed_from]
    if machine.shard:
        message.shard = machine.shard
    if machine.cluster:
        message.cluster = machine.cluster
    if machine.reservation:
        message.reservation = machine.reservation
    if machine.host:
        message.host.ref = machine.host
    if machine.operation:
        message.operation = machine.operation
    labels = message.labels
    for key, value in machine.labels.items():
        labels[key] = value
    if machine.state_since is not None:
        _write_time(machine.state_since, message.state_since)
    if machine.estimated_ready is not None:
        _write_time(machine.estimated_ready, message.estimated_ready)
    if machine.reclaim_at is not None:
        _write_time(machine.reclaim_at, message.reclaim_at)
    if machine.last_failure is not None:
        message.last_error.CopyFrom(failure_to_wire(machine.last_failure))


def machine_from_wire(message: pb.Machine) -> Machine:
    """Read a machine.

    Raises
    ------
    ValueError
        When it has no id, or a price, a probability, an amount or a capacity type that cannot be.
    """
    return next(machines_from_wire((message,)))


def machines_from_wire(messages: Iterable[pb.Machine]) -> Iterator[Machine]:
    """Read machines; those of a class share it. Errors as of ``machine_from_wire``."""
    kinds: dict[Hashable, MachineClass] = {}
    for message in messages:
        if not message.id:
            raise ValueError("a machine has no id.")
        key = _key(message)
        kind = kinds.get(key)
        if kind is None:
            kind = kinds[key] = _kind_from_wire(message, message.id)
        labels = message.labels
        yield Machine(
            id=message.id,
            state=STATE_OF.get(message.state),
            kind=kind,
            shard=message.shard,
            ownership_version=message.ownership_version,
            cluster=message.cluster,
            reservation=message.reservation,
            host=message.host.ref,
            # dict(labels) goes through the methods of an abstract mapping, and takes twice as long.
            labels={key: labels[key] for key in labels},
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
    message = pb.MachineClass()
    _write_kind(kind, message)
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
    time = Timestamp()
    _write_time(seconds, time)
    return time


def _write_time(seconds: float, time: Timestamp) -> None:
    whole = floor(seconds)
    time.seconds, time.nanos = whole, min(round((seconds - whole) * NANOS), NANOS - 1)


def _time(message: pb.Machine | pb.Error, name: str) -> float | None:
    """Read a point in time, None where there is none."""
    if not message.HasField(name):  # type: ignore[arg-type]
        return None
    time: Timestamp = getattr(message, name)
    return time.seconds + time.nanos / NANOS


def _key(message: pb.Machine) -> Hashable:
    """Tell a class from others, as it is written."""
    price = message.price_per_hour if message.HasField("price_per_hour") else None
    resources = message.resources
    return (
        message.instance_type,
        message.capacity_type,
        price,
        message.interruption_probability,
        frozenset((name, resources[name]) for name in resources),
    )


def _write_kind(kind: MachineClass, message: pb.Machine | pb.MachineClass) -> None:
    message.instance_type = kind.instance_type
    message.capacity_type = CAPACITY_TYPES[kind.capacity_type]
    message.interruption_probability = kind.interruption_probability
    message.resources.update(kind.resources)
    if kind.price_per_hour is not None:
        message.price_per_hour = kind.price_per_hour


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
