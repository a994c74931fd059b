"""What every provider answers before it does anything: is the order whole, known, and heard?"""

import re

from models.failure import FailureClass
from providers.contract.begin import Begin, Standing, begin
from providers.contract.fencing import Fences, Owner
from providers.machine import Failure, Refusal
from providers.orders import ConfigureOrder, DeleteOrder, DrainOrder, Fence, Order

MOST_NAME_BYTES = 253
"""Of the id of a machine, the name of a cluster or a shard: as long as names of Kubernetes."""

MOST_RESERVATION_BYTES = 1024
"""Of a reservation: it is told with the machine in every List, to everybody."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def heard(
    order: Order, fence: Fence, fences: Fences, standing: Standing | None, owner: Owner
) -> Begin | Failure:
    """Decide what an order comes to, in the order of the contract; the fence is remembered.

    ``standing`` is None of a machine that the provider does not list. A refusal for the state of
    the machine has been heard all the same: older orders than it are stale.
    """
    fault = malformed(order)
    if fault is not None:
        return fault
    if standing is None:
        said = f"the provider lists no machine {order.machine!r}."
        return Failure(FailureClass.INVALID, said, 0.0, Refusal.UNKNOWN_MACHINE)
    refusal = fences.refusal(fence, order.machine, order.ownership_version, owner)
    if refusal is not None:
        return refusal
    fences.accept(fence, order.machine)
    return begin(order, standing)


def malformed(order: Order) -> Failure | None:
    """Say which field of an order makes no sense, or None."""
    if not order.machine:
        return _malformed("machine is empty; an order names its machine.")
    fault = text_fault("machine", order.machine, MOST_NAME_BYTES)
    if fault is None and isinstance(order, ConfigureOrder):
        fault = text_fault("cluster", order.cluster, MOST_NAME_BYTES)
    if fault is None and not isinstance(order, DeleteOrder):
        fault = text_fault("reservation", order.reservation, MOST_RESERVATION_BYTES)
    if fault is not None:
        return _malformed(fault)
    if order.ownership_version < 0:
        return _malformed(f"ownership_version is {order.ownership_version}; it is 0 or more.")
    match order:
        case ConfigureOrder(cluster=""):
            return _malformed(f"cluster is empty; {order.machine!r} is configured for one.")
        case DrainOrder(grace_seconds=seconds) if seconds < 0:
            return _malformed(f"grace_seconds is {seconds}; it is 0 or more.")
    return None


def text_fault(field: str, text: str, most_bytes: int) -> str | None:
    """Say why a text that others will be told cannot be taken, without it, or None."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > most_bytes:
        return f"{field} has {size} bytes; at most {most_bytes} are taken."
    if _CONTROL.search(text):
        return f"{field} holds a NUL or another control character."
    return None


def _malformed(message: str) -> Failure:
    return Failure(FailureClass.INVALID, message, 0.0, Refusal.MALFORMED)
