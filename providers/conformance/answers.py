"""What an answer to an order should be."""

from models.failure import FailureClass
from providers.conformance.verdict import Broken, CannotTell, expect
from providers.machine import Machine, Refusal
from providers.orders import Ack

NONE_TO_BE_HAD = frozenset({FailureClass.CAPACITY, FailureClass.QUOTA, FailureClass.IP})
"""Refusals that say nothing about the contract."""


def accepted(ack: Ack, order: str) -> Machine:
    """Give the machine of an order that is taken; ``order`` says for people which one that is."""
    if ack.failure is not None:
        said = f"{ack.failure.failure_class}: {ack.failure.message}"
        if ack.failure.failure_class in NONE_TO_BE_HAD:
            raise CannotTell(f"{order} for {ack.machine!r} was refused, {said}")
        raise Broken(f"{order} for {ack.machine!r} to be taken", f"it was refused, {said}")
    if ack.snapshot is None:
        raise Broken(f"the answer to {order} to have the machine as it stands", "none")
    return ack.snapshot


def refused(ack: Ack, refusal: Refusal, order: str) -> None:
    """Expect that an order is refused as INVALID, for one reason."""
    wanted = f"{order} for {ack.machine!r} to be refused as INVALID, {refusal.name}"
    if ack.failure is None:
        raise Broken(wanted, "it was taken")
    failure = ack.failure
    name = failure.refusal.name if failure.refusal is not None else "no refusal"
    seen = f"{failure.failure_class}, {name}: {failure.message}"
    is_it = failure.failure_class is FailureClass.INVALID and failure.refusal is refusal
    expect(is_it, wanted, seen)
    expect(bool(failure.message), "a refusal to say in its message what was wrong", "no message")


def unchanged(before: Machine, after: Machine, order: str) -> None:
    """Expect that a refused order has left a machine as it was."""
    for name in ("state", "cluster", "reservation", "shard", "ownership_version", "operation"):
        was, now = getattr(before, name), getattr(after, name)
        expect(was == now, f"{order} to leave {name} as it was, {was!r}", f"{now!r}")
