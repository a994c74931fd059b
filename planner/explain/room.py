"""Where a gang of so many machines could stand, and whom it would cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.fleet import Fleet, Mask
from models.settings import Settings
from planner.deciding import standing_after_cycles
from rebalancer.room.clearing import Clearing, cheapest_clearing
from rebalancer.room.fragments import Fragment, fragments_of

ANY_PRIORITY = 2**31
"""Above every priority: all that runs may have to go."""


@dataclass(frozen=True, eq=False, slots=True)
class AskedRoom:
    """What was asked for: machines of one kind or of any (None), together on a level.

    Only needs below ``priority`` give way, with None all.
    """

    size: int
    level: str
    kind: str | None = None
    priority: int | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Room:
    """The cheapest clearing, None where no domain could hold so many; and how the fleet stands."""

    fleet: Fleet
    asked: AskedRoom
    clearing: Clearing | None
    fragments: Sequence[Fragment]


def explain_room(fleet: Fleet, settings: Settings, asked: AskedRoom, cells: Mask) -> Room:
    """Look for room once every shard is cycled; ``cells``, ``(C,)``, marks those of the kind.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    standing = standing_after_cycles(fleet, settings)
    most = ANY_PRIORITY if asked.priority is None else asked.priority
    found = cheapest_clearing(standing, asked.level, asked.size, cells, most)
    return Room(fleet, asked, found, fragments_of(standing))
