"""Machines: their states, the legal transitions between them, and one row of an inventory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from math import inf, nan
from types import MappingProxyType


class State(IntEnum):
    """Where a machine is in its life; the number is its code in a column."""

    SPECULATIVE = 0
    CREATING = 1
    IDLE = 2
    CONFIGURING = 3
    CONFIGURED = 4
    DRAINING = 5
    DELETING = 6
    FAILED = 7


class CapacityType(StrEnum):
    """How a machine is paid for. The order of the members is their order by code point."""

    BARE_METAL = "bare-metal"
    ON_DEMAND = "on-demand"
    RESERVED = "reserved"
    SPOT = "spot"

    @property
    def is_elastic(self) -> bool:
        """Tell whether it is billed only while it runs, so that deleting it saves money."""
        return self in (CapacityType.ON_DEMAND, CapacityType.SPOT)


STABLE = frozenset({State.SPECULATIVE, State.IDLE, State.CONFIGURED})
"""Only machines in these states are available to a decision."""

HOST_REQUIRED = frozenset(
    {State.IDLE, State.CONFIGURING, State.CONFIGURED, State.DRAINING, State.DELETING}
)
HOST_REFUSED = frozenset({State.SPECULATIVE})
CLUSTER_REQUIRED = frozenset({State.CONFIGURING, State.CONFIGURED, State.DRAINING})
CLUSTER_OPTIONAL = frozenset({State.FAILED})
RESERVABLE = frozenset({State.DRAINING, State.IDLE, State.CREATING})
"""States in which ``serves`` names the need that a machine is reserved for."""


class Operation(StrEnum):
    """What moves a machine from one state to the next: orders, answers and events."""

    CREATE = "Create"
    CONFIGURE = "Configure"
    DRAIN = "Drain"
    DELETE = "Delete"
    RELEASE = "Release"
    FAIL = "Fail"
    ADOPT = "Adopt"
    RECLAIMED = "Reclaimed"
    LOST = "Lost"
    TRANSFER = "Transfer"


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table of legal transitions.

    ``via`` is the state while the operation runs, ``to`` the state after its success; for an event
    that takes no time both are the same. ``elastic_only`` rows do not hold for fixed machines.
    """

    source: State
    operation: Operation
    via: State
    to: State
    elastic_only: bool = False
    needs_host: bool = False


def _everywhere(operation: Operation, to: State) -> tuple[Transition, ...]:
    return tuple(Transition(source, operation, to, to) for source in State if source != to)


_TRANSIENT = (State.CREATING, State.CONFIGURING, State.DRAINING, State.DELETING)

TRANSITIONS: tuple[Transition, ...] = (
    Transition(State.SPECULATIVE, Operation.CREATE, State.CREATING, State.IDLE),
    Transition(State.IDLE, Operation.CONFIGURE, State.CONFIGURING, State.CONFIGURED),
    Transition(State.CONFIGURED, Operation.DRAIN, State.DRAINING, State.IDLE),
    Transition(State.DRAINING, Operation.DRAIN, State.DRAINING, State.IDLE),
    Transition(State.IDLE, Operation.DELETE, State.DELETING, State.SPECULATIVE, elastic_only=True),
    *(Transition(s, Operation.FAIL, State.FAILED, State.FAILED) for s in _TRANSIENT),
    Transition(State.FAILED, Operation.DELETE, State.DELETING, State.SPECULATIVE, True),
    Transition(State.FAILED, Operation.CONFIGURE, State.CONFIGURING, State.CONFIGURED),
    Transition(State.FAILED, Operation.RELEASE, State.IDLE, State.IDLE),
    Transition(State.FAILED, Operation.DRAIN, State.DRAINING, State.IDLE),
    *(Transition(State.FAILED, Operation.ADOPT, s, s) for s in State if s != State.FAILED),
    *(
        Transition(State.SPECULATIVE, Operation.ADOPT, s, s)
        for s in State
        if s != State.SPECULATIVE
    ),
    *(
        Transition(s, Operation.RECLAIMED, State.SPECULATIVE, State.SPECULATIVE, True, True)
        for s in State
        if s != State.SPECULATIVE
    ),
    *_everywhere(Operation.LOST, State.FAILED),
    Transition(State.SPECULATIVE, Operation.TRANSFER, State.SPECULATIVE, State.SPECULATIVE),
    Transition(State.IDLE, Operation.TRANSFER, State.IDLE, State.IDLE),
)
"""The table of SPEC section 2, for machines that exist before and after.

Listed, Withdrawn and Decommission make or end a row and so are not transitions between states.
"""


def is_legal(source: State, operation: Operation, capacity_type: CapacityType) -> bool:
    """Tell whether ``operation`` may begin on a machine in ``source``."""
    return any(
        row.source == source
        and row.operation == operation
        and (capacity_type.is_elastic or not row.elastic_only)
        for row in TRANSITIONS
    )


NOBODY = -1
UNKNOWN_NEED = -2
"""``serves`` of a machine that is reserved for a need of which no roll-up told us: hands off."""


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One row of an inventory, standing for ``count`` machines that differ in name and labels.

    Already in internal units: resources in millicores, bytes and units; seconds; USD.

    Attributes
    ----------
    id
        May hold ``{}`` (the index) and ``{//N}`` (index // N); so may ``host_ref`` and the labels.
    price_per_hour
        NaN when unknown, which is not zero.
    serves
        Row number in the list of needs, NOBODY or UNKNOWN_NEED.
    state_since
        Seconds on the axis of the cycle's ``now`` (on files now is 0); ``-inf`` is long ago.
    reclaim_at
        When the cloud will take it back; NaN without a notice.
    """

    id: str
    capacity_type: CapacityType
    count: int = 1
    is_pattern: bool = False
    shard: str = "s0"
    state: State = State.SPECULATIVE
    provider: str = "default"
    host_ref: str | None = None
    cluster: str | None = None
    serves: int = NOBODY
    instance_type: str = ""
    price_per_hour: float = nan
    interruption_probability: float = 0.0
    resources: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, str] = field(default_factory=_nothing)
    reclamation_penalty: float = 0.0
    ready_seconds: float = 0.0
    pinned: bool = False
    state_since: float = -inf
    reclaim_at: float = nan
