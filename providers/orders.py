"""What a shard asks of a provider, and what it is told for each machine."""

from dataclasses import dataclass, field

from models.machine import Operation
from providers.machine import Failure, Machine


@dataclass(frozen=True, slots=True)
class Fence:
    """Who sends a call, and how recent it is.

    Epochs are compared for each shard, sequences for each machine.
    """

    shard: str
    epoch: int
    sequence: int


@dataclass(frozen=True, slots=True)
class CreateOrder:
    """Make a speculative machine real."""

    machine: str
    ownership_version: int = 0
    reservation: str = ""


@dataclass(frozen=True, slots=True)
class ConfigureOrder:
    """Make an idle machine a node of a cluster.

    ``user_data`` is the bootstrap blob: never logged, recorded or stored, and not in ``repr``.
    """

    machine: str
    cluster: str
    ownership_version: int = 0
    reservation: str = ""
    user_data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class DrainOrder:
    """Take a machine out of its cluster; ``reservation`` is the need it is drained for, or ""."""

    machine: str
    grace_seconds: int
    ownership_version: int = 0
    reservation: str = ""


@dataclass(frozen=True, slots=True)
class DeleteOrder:
    """Give an idle elastic machine back."""

    machine: str
    ownership_version: int = 0


Order = CreateOrder | ConfigureOrder | DrainOrder | DeleteOrder

OPERATION_OF: dict[type[Order], Operation] = {
    CreateOrder: Operation.CREATE,
    ConfigureOrder: Operation.CONFIGURE,
    DrainOrder: Operation.DRAIN,
    DeleteOrder: Operation.DELETE,
}


@dataclass(frozen=True, slots=True)
class Ack:
    """The answer to one order.

    Attributes
    ----------
    operation
        The same for a repeat; "" where the order was refused.
    snapshot
        As the machine stands now; None where the provider does not know it.
    failure
        Why the order was refused: nothing has begun for it. INTERNAL is the exception: it may
        have been done, and ``get`` tells.
    """

    machine: str
    operation: str = ""
    snapshot: Machine | None = None
    failure: Failure | None = None
