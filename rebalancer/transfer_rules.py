"""What moves between shards must respect, as the settings say."""

from dataclasses import dataclass


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
    """

    min_gap: int = 100_000
    drain_percent: int = 5
    window_seconds: float = 300.0
    max_moves: int | None = None
    bootstrap_keys: tuple[str, ...] = ()
