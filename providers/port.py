"""The port: six calls that every source of machines answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from providers.listing import Pages
from providers.machine import Machine
from providers.orders import Ack, ConfigureOrder, CreateOrder, DeleteOrder, DrainOrder, Fence

MOST_ORDERS = 1000
"""Orders, or ids of a Get, in one call that all providers must take; a served one takes no more."""


@dataclass(frozen=True, slots=True)
class Found:
    """Machines that were asked for, in the order of the question, and ids nobody knows."""

    machines: tuple[Machine, ...]
    unknown: tuple[str, ...]


class CapacityProvider(Protocol):
    """One source of machines.

    The four lifecycle calls return at once, with one ``Ack`` for each order, in their order: an
    order that is refused does not touch the others. Progress is seen through ``get`` and ``list``.
    Two orders for one machine in a call are answered one after the other.

    Idempotency: the key of an operation is (machine, target state). A repeat answers with the
    operation that runs, or with the machine as it stands if it is there already; a drain with a
    shorter grace shortens the one that runs, one with a longer grace changes nothing; a configure
    after FAILED is a new operation; any other difference is refused as a CONFLICT. The key is
    persisted before the work begins, so that a crash in between cannot buy twice.

    Fencing: an epoch older than the last accepted of that shard, a sequence older than the last
    accepted of that machine under that epoch, or an older ownership version is refused as STALE.
    Under one ownership version only the shard that first named it is heard. The same sequence
    again is a repeat. Whatever fencing accepts is remembered, durably where there is storage.
    A call that is late in the network is thus STALE once a younger order for its machine was heard,
    and a repeat while its operation runs or its outcome stands. Only where the machine left that
    state without an order, as a slot that the cloud took back, does it begin anew: who repeats a
    call gives each attempt its own sequence where it can, as ``Intents`` does.

    Every call may raise

    ProviderUnavailable
        Nobody knows whether it was done. The call may be repeated.
    ProviderThrottled
        Nothing was done; repeat it later.
    Unsupported
        The provider has no such call (``delete`` of bare metal); repeating will not help.
    ProviderRefused
        The call as a whole makes no sense to the provider, or is not allowed.
    """

    @property
    def name(self) -> str:
        """Stable name, used in metrics, settings and machine ids."""

    async def create(self, fence: Fence, orders: Sequence[CreateOrder]) -> Sequence[Ack]:
        """Begin SPECULATIVE -> CREATING -> IDLE."""

    async def configure(self, fence: Fence, orders: Sequence[ConfigureOrder]) -> Sequence[Ack]:
        """Begin IDLE, or FAILED from CONFIGURING -> CONFIGURING -> CONFIGURED."""

    async def drain(self, fence: Fence, orders: Sequence[DrainOrder]) -> Sequence[Ack]:
        """Begin CONFIGURED, or FAILED from DRAINING -> DRAINING -> IDLE; or shorten one that runs.

        FAILED from CONFIGURING is released: IDLE at once, without a cluster.
        """

    async def delete(self, fence: Fence, orders: Sequence[DeleteOrder]) -> Sequence[Ack]:
        """Begin IDLE, or FAILED from CREATING or DELETING -> DELETING -> SPECULATIVE."""

    async def get(self, machines: Sequence[str]) -> Found:
        """Say how some machines stand; no order is fenced by it. A repeated id may be told once."""

    def list(self, cursor: str = "", *, shard: str = "", columnar: bool = False) -> Pages:
        """List all machines, or those that changed since ``cursor``.

        A machine that changes while pages are read is listed as it was or as it is, or both, what
        is newer last, and is in the next List of changes too. A cursor that is no longer known
        gives a full List, which says so. ``columnar``: pages may have columns.

        ``shard``: only machines of this owner and of nobody. A List of changes then also has, as
        they are, all machines that changed their owner since, so that the one before learns of it;
        it may have others that changed.
        """
