"""Needs: one line of a cluster's roll-up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from models.requirement import Requirement

TIER_1_PRIORITY = 900_000
"""Default of ``shortfalls.tier1``: needs from this priority on are tier 1."""

MAX_COUNT = 2**63 - 1

DEFAULT_DRAIN_SECONDS = 30.0


class WhenUnsatisfiable(StrEnum):
    """What a spread does when the skew would be exceeded: forbid, or only prefer."""

    DO_NOT_SCHEDULE = "DoNotSchedule"
    SCHEDULE_ANYWAY = "ScheduleAnyway"


@dataclass(frozen=True, slots=True)
class Spread:
    """Keep the machines of a need even over the values of a label."""

    key: str
    max_skew: int = 1
    when_unsatisfiable: WhenUnsatisfiable = WhenUnsatisfiable.DO_NOT_SCHEDULE

    @property
    def is_hard(self) -> bool:
        """Tell whether the skew is a rule (DoNotSchedule) and not a wish."""
        return self.when_unsatisfiable is WhenUnsatisfiable.DO_NOT_SCHEDULE


@dataclass(frozen=True, slots=True)
class Need:
    """Machines that a cluster asks for.

    Attributes
    ----------
    name
        As the file wrote it and as every output repeats it; identity is ``(cluster, id)``.
    resources
        Per machine, in internal units (millicores, bytes, units).
    same
        Label key of the topology level in which all machines must be together; None: no gang.
    interruption_penalty, reclamation_penalty
        USD per interruption, USD per machine taken away.
    floor
        So many of its machines are taken only where the interruption probability is 0.
    """

    id: str
    cluster: str
    count: int
    priority: int = 0
    name: str = ""
    requirements: tuple[Requirement, ...] = ()
    resources: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    same: str | None = None
    spread: tuple[Spread, ...] = ()
    interruption_penalty: float = 0.0
    reclamation_penalty: float = 0.0
    drain_seconds: float = DEFAULT_DRAIN_SECONDS
    floor: int = 0

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.id)

    @property
    def is_gang(self) -> bool:
        """Tell whether all its machines must be in one domain, all or none."""
        return self.same is not None
