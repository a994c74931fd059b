"""A change: parts, each one concrete edit of the fleet document, that together serve a need."""

from dataclasses import dataclass
from enum import StrEnum
from math import isnan

from models.machine import MachineRow
from models.quantity import format_quantity
from models.requirement import Requirement


class ChangeKind(StrEnum):
    """What a change is the best at."""

    FEWEST_MACHINES = "fewest-machines"
    LOWEST_PRICE = "lowest-price"
    WEAKEST_REQUIREMENT = "weakest-requirement"
    LOWER_NEED = "lower-need"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Add:
    """Add idle machines like ``row``, whose ``count`` says how many.

    ``name`` is that of their class; None where no class of the fleet suits the need, and these are
    made to its measure.
    """

    row: MachineRow
    name: str | None
    place: str = ""

    @property
    def price_per_hour(self) -> float:
        """Give what all of them cost an hour, USD; NaN where the price is unknown."""
        return self.row.count * self.row.price_per_hour

    def __str__(self) -> str:
        what = self.name or "made to the need's measure"
        where = f" in {self.place}" if self.place else ""
        return f"add {self.row.count} {what}{where} to {self.row.shard}"


@dataclass(frozen=True, slots=True)
class DropRequirement:
    """Ask one requirement less."""

    requirement: Requirement
    text: str

    def __str__(self) -> str:
        return f"drop {self.text}"


@dataclass(frozen=True, slots=True)
class AskLess:
    """Ask less of a resource; 0 is none."""

    resource: str
    amount: int
    text: str

    def __str__(self) -> str:
        if not self.amount:
            return f"drop {self.text}"
        least = format_quantity(self.amount, self.resource)
        return f"lower {self.text} to {least}"


@dataclass(frozen=True, slots=True)
class DropSame:
    """Be no gang any more."""

    text: str

    def __str__(self) -> str:
        return f"drop {self.text}"


@dataclass(frozen=True, slots=True)
class DropSpread:
    """Drop one spread, by its place in the need's list."""

    index: int
    text: str

    def __str__(self) -> str:
        return f"drop {self.text}"


@dataclass(frozen=True, slots=True)
class LowerFloor:
    """Ask for fewer machines that nothing interrupts."""

    floor: int
    text: str

    def __str__(self) -> str:
        return f"lower {self.text} to {self.floor}" if self.floor else f"drop {self.text}"


@dataclass(frozen=True, slots=True)
class Reduce:
    """Ask for fewer machines in another need."""

    cluster: str
    id: str
    name: str
    priority: int
    count: int
    by: int

    def __str__(self) -> str:
        left = self.count - self.by
        return (
            f"lower the count of {self.name} (priority {self.priority}) from {self.count} to {left}"
        )


@dataclass(frozen=True, slots=True)
class LowerGap:
    """Let the rebalancer drain for another shard over a smaller gap in priority."""

    min_gap: int
    was: int

    def __str__(self) -> str:
        return f"lower rebalance.min_gap from {self.was} to {self.min_gap}"


Dropped = DropRequirement | AskLess | DropSame | DropSpread | LowerFloor
Part = Add | Dropped | Reduce | LowerGap


@dataclass(frozen=True, slots=True)
class Change:
    """Parts of which none can be left out; together they serve the need whole.

    ``is_tried``: a plan for the changed fleet has shown it, and not counting alone.
    """

    kind: ChangeKind
    parts: tuple[Part, ...]
    is_tried: bool = False

    @property
    def machines_added(self) -> int:
        """Give how many machines it adds."""
        return sum(part.row.count for part in self.parts if isinstance(part, Add))

    @property
    def price_per_hour(self) -> float:
        """Give what these cost an hour, USD; NaN where a price is unknown."""
        return sum((part.price_per_hour for part in self.parts if isinstance(part, Add)), 0.0)

    @property
    def price_or_none(self) -> float | None:
        """Give the same with None for what is unknown."""
        return None if isnan(self.price_per_hour) else self.price_per_hour

    def __str__(self) -> str:
        return "; ".join(map(str, self.parts))
