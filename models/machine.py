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


ELASTIC = frozenset(kind for kind in CapacityType if kind.is_elastic)
FIXED = frozenset(CapacityType) - ELASTIC


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
    LISTED = "Listed"
    WITHDRAWN = "Withdrawn"
    TRANSFER = "Transfer"
    DECOMMISSION = "Decommission"


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table of legal transitions; a state of None: the machine is not there.

    Attributes
    ----------
    via, to
        The state while the operation runs and after its success; the same for what takes no time.
    capacity
        The capacity types it holds for.
    failed_in
        Of a FAILED machine: the states of which it must have failed in one; empty: any.
    needs_host
        Whether the machine must have a host.
    """

    source: State | None
    operation: Operation
    via: State | None
    to: State | None
    capacity: frozenset[CapacityType] = ELASTIC | FIXED
    failed_in: frozenset[State] = frozenset()
    needs_host: bool = False


_TRANSIENT = (State.CREATING, State.CONFIGURING, State.DRAINING, State.DELETING)
_FROM_CREATING_OR_DELETING = frozenset({State.CREATING, State.DELETING})
_FROM_CONFIGURING = frozenset({State.CONFIGURING})
_FROM_DRAINING = frozenset({State.DRAINING})

TRANSITIONS: tuple[Transition, ...] = (
    Transition(State.SPECULATIVE, Operation.CREATE, State.CREATING, State.IDLE),
    Transition(State.IDLE, Operation.CONFIGURE, State.CONFIGURING, State.CONFIGURED),
    Transition(State.CONFIGURED, Operation.DRAIN, State.DRAINING, State.IDLE),
    Transition(State.IDLE, Operation.DELETE, State.DELETING, State.SPECULATIVE, ELASTIC),
    *(Transition(state, Operation.FAIL, State.FAILED, State.FAILED) for state in _TRANSIENT),
    Transition(
        State.FAILED,
        Operation.DELETE,
        State.DELETING,
        State.SPECULATIVE,
        ELASTIC,
        failed_in=_FROM_CREATING_OR_DELETING,
    ),
    Transition(
        State.FAILED,
        Operation.CONFIGURE,
        State.CONFIGURING,
        State.CONFIGURED,
        failed_in=_FROM_CONFIGURING,
    ),
    Transition(
        State.FAILED, Operation.RELEASE, State.IDLE, State.IDLE, failed_in=_FROM_CONFIGURING
    ),
    Transition(State.DRAINING, Operation.DRAIN, State.DRAINING, State.IDLE),
    Transition(State.FAILED, Operation.DRAIN, State.DRAINING, State.IDLE, failed_in=_FROM_DRAINING),
    *(
        Transition(source, Operation.ADOPT, reported, reported)
        for source in (State.FAILED, State.SPECULATIVE)
        for reported in State
        if reported != source
    ),
    *(
        Transition(
            source,
            Operation.RECLAIMED,
            State.SPECULATIVE,
            State.SPECULATIVE,
            ELASTIC,
            needs_host=True,
        )
        for source in State
        if source not in HOST_REFUSED
    ),
    *(Transition(source, Operation.LOST, State.FAILED, State.FAILED) for source in State),
    Transition(None, Operation.LISTED, State.SPECULATIVE, State.SPECULATIVE),
    Transition(State.SPECULATIVE, Operation.WITHDRAWN, None, None),
    Transition(State.SPECULATIVE, Operation.TRANSFER, State.SPECULATIVE, State.SPECULATIVE),
    Transition(State.IDLE, Operation.TRANSFER, State.IDLE, State.IDLE),
    Transition(State.IDLE, Operation.DECOMMISSION, None, None, FIXED),
)
"""All that may happen to a machine. A refused call is no transition: nothing has happened."""


def is_legal(
    source: State | None,
    operation: Operation,
    capacity_type: CapacityType,
    *,
    failed_in: State | None = None,
    has_host: bool = True,
) -> bool:
    """Tell whether ``operation`` may begin on a machine in ``source``; None: it is not there.

    ``failed_in`` is the state in which a FAILED machine failed; None where nobody knows, which
    allows all that one of them would. ``has_host`` only counts where the cloud takes it back.
    """
    return any(
        row.source == source
        and row.operation == operation
        and capacity_type in row.capacity
        and (failed_in is None or not row.failed_in or failed_in in row.failed_in)
        and (has_host or not row.needs_host)
        for row in TRANSITIONS
    )


NOBODY = -1
UNKNOWN_NEED = -2
"""``serves`` of a machine that is reserved for a need of which no roll-up told us: hands off."""


DEFAULT_SHARD = "s0"
"""The one shard of a document that names none; it owns every cluster."""

DEFAULT_PROVIDER = "default"


@dataclass(frozen=True, slots=True)
class MachineRow:
    """One row of an inventory, standing for ``count`` machines that differ in name and labels.

    Already in internal units: resources in millicores, bytes and units; seconds; USD.

    Attributes
    ----------
    id
        Of a pattern it may hold ``{}`` (the index) and ``{//N}`` (index // N); so may ``host_ref``
        and the labels. Elsewhere they stand for themselves.
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
    shard: str = DEFAULT_SHARD
    state: State = State.SPECULATIVE
    provider: str = DEFAULT_PROVIDER
    host_ref: str | None = None
    cluster: str | None = None
    serves: int = NOBODY
    instance_type: str = ""
    price_per_hour: float = nan
    interruption_probability: float = 0.0
    resources: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    reclamation_penalty: float = 0.0
    ready_seconds: float = 0.0
    pinned: bool = False
    state_since: float = -inf
    reclaim_at: float = nan
