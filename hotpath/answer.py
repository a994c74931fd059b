"""What a cycle answers: after phases 1 and 2, and in the end."""

from dataclasses import dataclass

from hotpath.memory import Memory
from hotpath.plain.ledger import Ledger
from models.action import Action
from models.fleet import Codes
from models.shortfall import Shortfall


@dataclass(frozen=True, eq=False, slots=True)
class Decided:
    """A cycle after phases 1 and 2. The books belong to it: whoever reads them does not write.

    ``walk`` holds the needs in the order of their turns. ``shadowed`` and the shortfalls of shadow
    clusters come from books of their own, since what is only reported must not keep anything from
    a need that is acted on.
    """

    ledger: Ledger
    memory: Memory
    walk: tuple[int, ...]
    shadowed: tuple[Action, ...]
    shortfalls: tuple[Shortfall, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Cycle:
    """The answer of a cycle.

    Attributes
    ----------
    actions
        In the order of the walk, then what is given back. Never for a cluster in shadow mode.
    shadowed
        What would have been ordered for clusters in shadow mode.
    serves
        Shape of the fleet's machines. The need that each machine of this shard serves, is reserved
        for or drains for, once the actions are done; -1.
    """

    shard: int
    actions: tuple[Action, ...]
    shadowed: tuple[Action, ...]
    shortfalls: tuple[Shortfall, ...]
    serves: Codes
    memory: Memory
