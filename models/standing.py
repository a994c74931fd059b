"""How a fleet stands once every shard has had its cycle: what the rebalancer starts from."""

from dataclasses import dataclass

from models.fleet import Codes, Fleet, Ints, Mask, freeze
from models.shortfall import Shortfall


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """Columns beside a fleet's machines (``M``), needs (``N``), shards and classes. Read-only.

    Attributes
    ----------
    serves
        Shape ``(M,)``. The need a machine serves, is being made ready for, or drains for; -1 none,
        or one with a notice, which counts for nobody.
    free
        Shape ``(M,)``. Idle or speculative; not reserved, ordered, pinned or in back-off.
    excess
        Shape ``(M,)``. Configured and serving nobody; may be drained at no loss.
    victim
        Shape ``(M,)``. Configured and serving; may be drained for a need of higher priority.
    have
        Shape ``(N,)``. Machines that serve it or are on their way, orders of this cycle included.
    waiting
        Shape ``(N,)``. Machines that drain for it.
    short
        Shape ``(N,)``. What nothing is under way for; 0 for needs of silent and shadow clusters.
    forecast
        Shape ``(S, K)``. Machines of each class that a shard expects to assign soon, whole ones.
    shortfalls
        What the cycles reported, with reasons.

    Raises
    ------
    ValueError
        When a column has another shape.
    """

    fleet: Fleet
    serves: Codes
    free: Mask
    excess: Mask
    victim: Mask
    have: Ints
    waiting: Ints
    short: Ints
    forecast: Ints
    shortfalls: tuple[Shortfall, ...]

    def __post_init__(self) -> None:
        machines, needs = len(self.fleet.machines), len(self.fleet.needs)
        for name in ("serves", "free", "excess", "victim"):
            freeze(name, getattr(self, name), (machines,))
        for name in ("have", "waiting", "short"):
            freeze(name, getattr(self, name), (needs,))
        shape = (len(self.fleet.shards), len(self.fleet.classes))
        freeze("forecast", self.forecast, shape)
