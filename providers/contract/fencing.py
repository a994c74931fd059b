"""Fencing: whose orders are heard, and which of them are too old."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.failure import FailureClass
from providers.machine import Failure, Refusal
from providers.orders import Fence


@dataclass(frozen=True, slots=True)
class Owner:
    """Who owns a machine, as the last accepted order said; ``shard`` "": nobody yet."""

    shard: str = ""
    version: int = 0


@dataclass(slots=True)
class Fences:
    """The newest that was accepted: an epoch for each shard, a fence for each machine.

    Whoever has storage keeps both, and hands them back after a restart.
    """

    epochs: dict[str, int] = field(default_factory=dict)
    machines: dict[str, Fence] = field(default_factory=dict)

    def refusal(self, fence: Fence, machine: str, version: int, owner: Owner) -> Failure | None:
        """Say why an order must not be heard, or None.

        The same epoch and sequence again is a repeat, and heard. Two shards have nothing to do
        with each other's epochs and sequences; between them the ownership version decides.
        """
        if fence.epoch < (epoch := self.epochs.get(fence.shard, 0)):
            return _stale(f"epoch {fence.epoch} of {fence.shard!r}; {epoch} was seen")
        last = self.machines.get(machine)
        is_same = last is not None and (last.shard, last.epoch) == (fence.shard, fence.epoch)
        if last is not None and is_same and fence.sequence < last.sequence:
            return _stale(f"sequence {fence.sequence} for {machine!r}; {last.sequence} was seen")
        if version < owner.version:
            return _stale(f"ownership version {version} of {machine!r}; it has {owner.version}")
        if version == owner.version and owner.shard not in ("", fence.shard):
            said = f"{machine!r} belongs to {owner.shard!r} under ownership version {version}"
            return Failure(
                FailureClass.INVALID, f"{said}, not to {fence.shard!r}.", 0.0, Refusal.NOT_OWNER
            )
        return None

    def accept(self, fence: Fence, machine: str) -> None:
        """Remember an order that is heard, whatever comes of it."""
        self.epochs[fence.shard] = max(fence.epoch, self.epochs.get(fence.shard, 0))
        self.machines[machine] = fence

    @classmethod
    def of(cls, epochs: Mapping[str, int], machines: Mapping[str, Fence]) -> "Fences":
        """Give what a provider had kept."""
        return cls(dict(epochs), dict(machines))


def _stale(seen: str) -> Failure:
    return Failure(FailureClass.INVALID, f"The order is older: {seen}.", 0.0, Refusal.STALE)
