"""Orders and their answers."""

from providers.contract.heard import MOST_NAME_BYTES, text_fault
from providers.machine import Failure
from providers.orders import (
    Ack,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Fence,
)
from providers.v1 import capacity_pb2 as pb
from providers.wire.machines import (
    failure_from_wire,
    failure_to_wire,
    machine_from_wire,
    machine_to_wire,
)

MOST_GRACE_SECONDS = 2**32 - 1


def fence_to_wire(fence: Fence) -> pb.Fence:
    """Give the message of a fence."""
    return pb.Fence(shard=fence.shard, epoch=fence.epoch, sequence=fence.sequence)


def fence_from_wire(message: pb.Fence) -> Fence:
    """Read a fence.

    Raises
    ------
    ValueError
        When it names no shard, or one that no shard can be called.
    """
    if not message.shard:
        raise ValueError("fence.shard is empty; every mutating call says whose it is.")
    fault = text_fault("fence.shard", message.shard, MOST_NAME_BYTES)
    if fault is not None:
        raise ValueError(fault)
    return Fence(message.shard, message.epoch, message.sequence)


def create_to_wire(order: CreateOrder) -> pb.CreateOrder:
    """Give the message of an order."""
    return pb.CreateOrder(
        machine=order.machine,
        ownership_version=order.ownership_version,
        reservation=order.reservation,
    )


def create_from_wire(message: pb.CreateOrder) -> CreateOrder:
    """Read an order."""
    return CreateOrder(message.machine, message.ownership_version, message.reservation)


def configure_to_wire(order: ConfigureOrder) -> pb.ConfigureOrder:
    """Give the message of an order."""
    return pb.ConfigureOrder(
        machine=order.machine,
        ownership_version=order.ownership_version,
        reservation=order.reservation,
        cluster=order.cluster,
        user_data=order.user_data,
    )


def configure_from_wire(message: pb.ConfigureOrder) -> ConfigureOrder:
    """Read an order."""
    return ConfigureOrder(
        message.machine,
        message.cluster,
        message.ownership_version,
        message.reservation,
        message.user_data,
    )


def drain_to_wire(order: DrainOrder) -> pb.DrainOrder:
    """Give the message of an order; a longer grace than can be written is the longest."""
    return pb.DrainOrder(
        machine=order.machine,
        ownership_version=order.ownership_version,
        reservation=order.reservation,
        grace_seconds=min(order.grace_seconds, MOST_GRACE_SECONDS),
    )


def drain_from_wire(message: pb.DrainOrder) -> DrainOrder:
    """Read an order."""
    return DrainOrder(
        message.machine, message.grace_seconds, message.ownership_version, message.reservation
    )


def delete_to_wire(order: DeleteOrder) -> pb.DeleteOrder:
    """Give the message of an order."""
    return pb.DeleteOrder(machine=order.machine, ownership_version=order.ownership_version)


def delete_from_wire(message: pb.DeleteOrder) -> DeleteOrder:
    """Read an order."""
    return DeleteOrder(message.machine, message.ownership_version)


def ack_to_wire(ack: Ack) -> pb.TransitionAck:
    """Give the message of an answer."""
    return pb.TransitionAck(
        machine=ack.machine,
        operation=ack.operation,
        snapshot=machine_to_wire(ack.snapshot) if ack.snapshot else None,
        error=failure_to_wire(ack.failure) if ack.failure else None,
    )


def ack_from_wire(message: pb.TransitionAck) -> Ack:
    """Read an answer; errors as of ``machine_from_wire``."""
    snapshot = machine_from_wire(message.snapshot) if message.HasField("snapshot") else None
    failure: Failure | None = None
    if message.HasField("error"):
        failure = failure_from_wire(message.error)
    return Ack(message.machine, message.operation, snapshot, failure)
