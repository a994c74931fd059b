"""What outlives a cycle: arrivals, ages, since when excess stands, back-off, forecast, drains."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from models.fleet import Fleet, Reals
from models.need import Need

NeedKey = tuple[str, str]
"""Identity of a need: (cluster, id)."""


def need_key(need: Need) -> NeedKey:
    """Give the identity by which a need is remembered; row numbers change from cycle to cycle."""
    return (need.cluster, need.id)


@dataclass(frozen=True, slots=True)
class Pause:
    """One thing that is left alone: until when, and for how long the last time."""

    until: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Rate:
    """Assignments a minute of one class, exponentially weighted, as of ``at``."""

    per_minute: float
    at: float


@dataclass(frozen=True, slots=True)
class DrainWatch:
    """A drain that a need waits for: for how many cycles so far, and its grace at present."""

    cycles: int
    grace_seconds: float


def _none() -> MappingProxyType[str, float]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Memory:
    """A shard's memory between two cycles. ``Memory()`` is that of a shard that has not run yet.

    Attributes
    ----------
    last_cycle
        When the last cycle ran; None before the first, whose timers count from ``state_since``.
    arrived
        When each need was first heard of since it has stood without a gap.
    short_cycles
        For how many cycles in a row each need has been short.
    excess_since
        Machine id -> since when it has been beyond every count.
    pauses
        Back-off: what failed -> how long it is left alone; see ``hotpath.backoff``.
    rates
        Forecast: class key -> assignments a minute; see ``hotpath.plain.release``.
    drains
        Machine id -> how long a short need has waited for its drain; see
        ``hotpath.plain.escalate``.
    """

    last_cycle: float | None = None
    arrived: Mapping[NeedKey, float] = field(default_factory=lambda: MappingProxyType({}))
    short_cycles: Mapping[NeedKey, int] = field(default_factory=lambda: MappingProxyType({}))
    excess_since: Mapping[str, float] = field(default_factory=_none)
    pauses: Mapping[tuple[str, ...], Pause] = field(default_factory=lambda: MappingProxyType({}))
    rates: Mapping[str, Rate] = field(default_factory=lambda: MappingProxyType({}))
    drains: Mapping[str, DrainWatch] = field(default_factory=lambda: MappingProxyType({}))

    def arrivals(self, fleet: Fleet) -> Reals:
        """Give the arrival of each need of the fleet, shape ``(N,)``; infinity for a new one."""
        return np.array(
            [self.arrived.get(need_key(need), np.inf) for need in fleet.needs], dtype=np.float64
        )
