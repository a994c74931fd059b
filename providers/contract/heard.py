"""What every provider answers before it does anything: is the order whole, known, and heard?"""

from models.failure import FailureClass
from providers.contract.begin import Begin, Standing, begin
from providers.contract.fencing import Fences, Owner
from providers.machine import Failure, Refusal
from providers.orders import ConfigureOrder, DrainOrder, Fence, Order


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
    if order.ownership_version < 0:
        return _malformed(f"ownership_version is {order.ownership_version}; it is 0 or more.")
    match order:
        case ConfigureOrder(cluster=""):
            return _malformed(f"cluster is empty; {order.machine!r} is configured for one.")
        case DrainOrder(grace_seconds=seconds) if seconds < 0:
            return _malformed(f"grace_seconds is {seconds}; it is 0 or more.")
    return None


def _malformed(message: str) -> Failure:
    return Failure(FailureClass.INVALID, message, 0.0, Refusal.MALFORMED)
