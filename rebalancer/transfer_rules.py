"""What moves between shards must respect, as the settings say."""

from dataclasses import dataclass, field

from models.need import TIER_1_PRIORITY
from models.problem import Problem


@dataclass(frozen=True, slots=True)
class Climbing:
    """On what terms machines that run are replaced by cheaper ones; see ``problems.replace``.

    Attributes
    ----------
    horizon_seconds
        So long the new machine is expected to save.
    spot_max_share
        Of a need's count, what one (class, zone) of spot may hold of it while there are others.
    """

    horizon_seconds: float = 86_400.0
    spot_max_share: float = 0.5


@dataclass(frozen=True, slots=True)
class TransferRules:
    """What the settings say about moves between shards.

    Attributes
    ----------
    min_gap
        Least distance in priority over which a running machine is drained for another shard.
    drain_percent, window_seconds
        At most so many percent of a donor's machines with a host, at least 1, in one window.
    max_moves
        At most so many machines a plan; None = no limit.
    bootstrap_keys
        Label patterns that the bootstrap blob makes true on an unconfigured machine.
    tier1, max_wait_seconds
        Needs from this priority on are never given a slot that takes longer than this to be ready:
        the receiver's cycle would pass it over.
    problems
        What may be decided at all.
    migrate
        Running gangs may move within their shard to make room.
    climbing
        On what terms running machines are replaced by cheaper ones; None: not at all.
    """

    min_gap: int = 100_000
    drain_percent: int = 5
    window_seconds: float = 300.0
    max_moves: int | None = None
    bootstrap_keys: tuple[str, ...] = ()
    tier1: int = TIER_1_PRIORITY
    max_wait_seconds: float = 900.0
    problems: tuple[Problem, ...] = tuple(Problem)
    migrate: bool = False
    # Apart from the text of the others, by which a plan names its settings: those that do not climb
    # keep their names.
    climbing: Climbing | None = field(default=None, repr=False)
