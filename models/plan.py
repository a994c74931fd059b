"""Plans: what the rebalancer proposes, in units that can each be checked on their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from models.outcome import Outcome
from models.rules import Goal
from models.shortfall import Reason


class MoveKind(StrEnum):
    """What happens to the machines of a move.

    Inside a shard free machines are *transferred* to nobody else: they are kept for the need. Those
    of a REPLACE take the place of others that the need gives up, and that are drained after it: for
    another need, or, where they only cost more, for itself.
    """

    TRANSFER_IDLE = "transfer-idle"
    TRANSFER_SPECULATIVE = "transfer-speculative"
    DRAIN_AND_TRANSFER = "drain-and-transfer"
    DRAIN = "drain"
    REPLACE = "replace"


DRAINS = frozenset({MoveKind.DRAIN_AND_TRANSFER, MoveKind.DRAIN})
"""Moves that end what runs on a machine, and so count against the blast radius."""


@dataclass(frozen=True, slots=True)
class Move:
    """Machines of one class that go the same way for the same need, or for none.

    Attributes
    ----------
    unit
        All moves of one unit are applied or none; a gang is one unit, and so is a domain that
        changes its owner.
    window
        The blast-radius window, from 0, in which its drains are due; 0 for what drains nothing,
        but for machines that replace dearer ones: they are not wanted before those are due.
    machines
        Row numbers in the fleet's machines, ascending by id.
    source, target
        Row numbers in the fleet's shards.
    need, victim
        Row numbers in the fleet's needs: who gets them, and who loses them (-1: nobody). Machines
        that only change their owner go to no need.
    preconditions
        What must still hold when the unit is applied; sentences for people.
    expires_seconds
        Age of the plan from which the move must not be applied any more.
    """

    id: str
    unit: str
    window: int
    kind: MoveKind
    machine_class: int
    machines: tuple[int, ...]
    source: int
    target: int
    need: int
    victim: int
    reason: str
    preconditions: tuple[str, ...]
    expires_seconds: float


@dataclass(frozen=True, slots=True)
class Level:
    """All needs of one priority: machines asked for, serving after the plan, and possible."""

    priority: int
    asked: int
    served: int
    bound: int

    @property
    def gap(self) -> float:
        """Give the proven distance from the best, 0 to 1; 0 where nothing is possible."""
        return (self.bound - self.served) / self.bound if self.bound else 0.0


@dataclass(frozen=True, slots=True)
class GoalValue:
    """One goal before and after the plan, in its own unit; ``cost`` is weight x after, in USD.

    ``bound`` is a proven lower bound on ``cost``, None where none was proven.
    """

    weight: float
    before: float
    after: float
    cost: float
    bound: float | None


@dataclass(frozen=True, slots=True)
class Alternative:
    """What the other choice would have cost: a plan that puts ``goal`` before all others.

    It serves, drains and creates as many machines. ``after`` has what each goal would then be, in
    its own unit; ``extra_usd`` is what all of them would cost more together, by their weights.
    """

    goal: Goal
    after: Mapping[Goal, float]
    extra_usd: float


@dataclass(frozen=True, slots=True)
class Unmet:
    """What stays short of a shortfall that was handed in."""

    need: int
    count: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Displaced:
    """What a victim loses."""

    need: int
    count: int


@dataclass(frozen=True, slots=True)
class ClusterMove:
    """A cluster that changes its shard, by row numbers."""

    cluster: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer of a solve.

    ``snapshot`` and ``settings`` are the digests of what it was made from. Two solves of the same
    snapshot, seed and work limit with one worker are equal but for ``seconds``. Only a plan of
    ownership moves ``clusters``, and says which shards are ``added`` and which ``closed``, by row.
    ``alternatives`` tell of goals that conflict strongly, those that lose most first.
    """

    snapshot: str
    settings: str
    seed: int
    outcome: Outcome
    levels: tuple[Level, ...]
    moves: tuple[Move, ...]
    unmet: tuple[Unmet, ...]
    displaced: tuple[Displaced, ...]
    goals: Mapping[Goal, GoalValue]
    conflicts: tuple[str, ...]
    seconds: float
    clusters: tuple[ClusterMove, ...] = ()
    added: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
