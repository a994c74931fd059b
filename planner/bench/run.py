"""How a question is measured."""

from collections.abc import Callable
from dataclasses import dataclass

from models.settings import Settings
from planner.bench.instances import Size


@dataclass(frozen=True, slots=True)
class Run:
    """How to measure; ``say`` is told in a line what comes next.

    ``changes`` is the share of the machines that are reported between two cycles, ``shards`` the
    number of shards in a fleet.
    """

    size: Size
    repeat: int
    changes: float
    shards: int
    settings: Settings
    say: Callable[[str], None]
