"""What an order comes to on a machine as it stands: a beginning, a repeat, or a refusal."""

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from models.failure import FailureClass
from models.machine import CapacityType, Operation, State, is_legal
from providers.machine import Failure, Refusal
from providers.orders import (
    OPERATION_OF,
    ConfigureOrder,
    CreateOrder,
    DeleteOrder,
    DrainOrder,
    Order,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Of a machine, what decides about an order.

    ``drain_left``: seconds that the grace of a drain that runs still lasts. ``state`` None: one
    that nobody knows.
    """

    state: State | None
    capacity_type: CapacityType
    cluster: str = ""
    reservation: str = ""
    failed_from: State | None = None
    drain_left: float = 0.0


class Begin(Enum):
    """What is to be done about an order that is not refused."""

    NEW = "a new operation begins"
    REPEAT = "it runs already, or the machine is there already: nothing is to be done"
    SHORTEN = "the drain that runs gets the shorter grace of the order"
    RELEASE = "a machine that could not be configured is idle again, at once"


TARGETS = {
    Operation.CREATE: (State.CREATING, State.IDLE),
    Operation.CONFIGURE: (State.CONFIGURING, State.CONFIGURED),
    Operation.DRAIN: (State.DRAINING, State.IDLE),
    Operation.DELETE: (State.DELETING, State.SPECULATIVE),
}
"""The state while an operation runs, and the one it leads to."""


def begin(order: Order, standing: Standing) -> Begin | Failure:
    """Decide what an order comes to; whether its sender is heard has been decided before."""
    operation = OPERATION_OF[type(order)]
    if isinstance(order, DeleteOrder) and not standing.capacity_type.is_elastic:
        said = f"{order.machine!r} is {standing.capacity_type}, and paid for anyway."
        return Failure(FailureClass.INVALID, said, 0.0, Refusal.UNSUPPORTED)
    if standing.state in TARGETS[operation]:
        return _again(order, standing)
    if _is_released(operation, standing):
        return Begin.RELEASE
    if standing.state is not None and _may_begin(operation, standing, standing.state):
        return Begin.NEW
    said = f"{operation} cannot begin on {order.machine!r}, which is {_shown(standing)}."
    return Failure(FailureClass.INVALID, said, 0.0, Refusal.WRONG_STATE)


def _again(order: Order, standing: Standing) -> Begin | Failure:
    """Decide about an order whose operation runs already, or has led where it would."""
    match order:
        case CreateOrder():
            is_other = (
                standing.state is State.CREATING and order.reservation != standing.reservation
            )
            return _conflict(order, "reservation", standing) if is_other else Begin.REPEAT
        case ConfigureOrder():
            if order.cluster != standing.cluster:
                return _conflict(order, "cluster", standing)
            is_other = order.reservation != standing.reservation
            if standing.state is State.CONFIGURING and is_other:
                return _conflict(order, "reservation", standing)
            return Begin.REPEAT
        case DrainOrder():
            is_sooner = order.grace_seconds < standing.drain_left
            return Begin.SHORTEN if standing.state is State.DRAINING and is_sooner else Begin.REPEAT
        case DeleteOrder():
            return Begin.REPEAT
    assert_never(order)


def _may_begin(operation: Operation, standing: Standing, state: State) -> bool:
    return is_legal(state, operation, standing.capacity_type, failed_in=standing.failed_from)


def _is_released(operation: Operation, standing: Standing) -> bool:
    return (
        operation is Operation.DRAIN
        and standing.state is State.FAILED
        and standing.failed_from is State.CONFIGURING
    )


def _conflict(order: Order, what: str, standing: Standing) -> Failure:
    runs, asked = getattr(standing, what), getattr(order, what)
    said = f"{order.machine!r} is {_shown(standing)} with {what} {runs!r}, not {asked!r}."
    return Failure(FailureClass.INVALID, said, 0.0, Refusal.CONFLICT)


def _shown(standing: Standing) -> str:
    if standing.state is None:
        return "in a state that nobody knows"
    if standing.failed_from is None:
        return standing.state.name
    return f"{standing.state.name} from {standing.failed_from.name}"
