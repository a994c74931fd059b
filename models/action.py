"""Actions: what a cycle orders, one machine each."""

from dataclasses import dataclass
from enum import StrEnum


class Verb(StrEnum):
    """The four orders that a shard gives a provider."""

    CONFIGURE = "configure"
    CREATE = "create"
    DRAIN = "drain"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Action:
    """One order.

    Attributes
    ----------
    machine
        Row number in the fleet's machines.
    need
        Row number in the fleet's needs: who gets it; for a drain the preemptor; -1 for nobody.
    grace_seconds
        For a drain; 0 otherwise.
    reason
        One sentence for people.
    """

    verb: Verb
    machine: int
    need: int = -1
    grace_seconds: float = 0.0
    reason: str = ""
