"""How a question is measured."""

from collections.abc import Callable
from dataclasses import dataclass

from models.settings import Settings
from planner.bench.instances import Size


@dataclass(frozen=True, slots=True)
class Run:
    """How to measure; ``say`` is told in a line what comes next."""

    size: Size
    repeat: int
    settings: Settings
    say: Callable[[str], None]
