"""The answer of a compiled cycle: columns, and the same as actions and shortfalls."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from numpy.typing import NDArray

from models.action import Action, Verb
from models.cost import NANOS_PER_USD, UNKNOWN_COST
from models.fleet import Fleet, Ints
from models.shortfall import Reason, Shortfall

VERBS = (Verb.CONFIGURE, Verb.CREATE, Verb.DRAIN, Verb.DELETE)

SHORT_REASONS = (
    Reason.WAITING_FOR_DRAIN,
    Reason.WAITING_FOR_CREATE,
    Reason.NO_MATCHING_MACHINE,
    Reason.TOPOLOGY_UNSATISFIABLE,
    Reason.SPREAD_UNSATISFIABLE,
    Reason.PRICE_UNKNOWN,
    Reason.QUOTA_EXHAUSTED,
    Reason.ADDRESSES_EXHAUSTED,
    Reason.STOCKED_OUT,
    Reason.CAPACITY_EXHAUSTED,
)


class Why(IntEnum):
    """Why an order was given. Codes of these and of the lists above are those of ``shard.h``."""

    READY = 0
    FROM_IDLE = 1
    FROM_SPECULATIVE = 2
    BEYOND_AND_WANTED = 3
    PREEMPTED = 4
    BEYOND_COUNT = 5
    SERVES_NOTHING = 6
    DRAGS_ON = 7
    HELD_LONG_ENOUGH = 8


@dataclass(frozen=True, eq=False, slots=True)
class Orders:
    """What a cycle answers.

    Attributes
    ----------
    table
        Shape ``(o,)``, rows of ``binding.ORDER``. ``slot`` is a place in the shard's inventory.
    shadowed
        Where in ``table`` the orders stand that are only reported.
    shorts
        Shape ``(s,)``, rows of ``binding.SHORT``; counts may be less than what is short, by
        ``clamped``.
    clamped
        Need -> what its count is above the largest one that the shard knows.
    """

    table: NDArray[Any]
    shadowed: slice
    shorts: NDArray[Any]
    clamped: dict[int, int]

    def actions(self, fleet: Fleet, rows: Ints) -> tuple[Action, ...]:
        """Give what is to be done, in order; ``rows`` are the inventory's."""
        table, shadowed = self.table, self.shadowed
        return (
            *_actions(table[: shadowed.start], fleet, rows),
            *_actions(table[shadowed.stop :], fleet, rows),
        )

    def reported(self, fleet: Fleet, rows: Ints) -> tuple[Action, ...]:
        """Give what would be done for clusters in shadow mode."""
        return tuple(_actions(self.table[self.shadowed], fleet, rows))

    def shortfalls(self) -> tuple[Shortfall, ...]:
        """Give the needs that stay short, in the order of the walk."""
        return tuple(
            Shortfall(need, self._short_count(need, count, reason), SHORT_REASONS[reason], age)
            for need, count, reason, age in self.shorts.tolist()
        )

    def _short_count(self, need: int, count: int, reason: int) -> int:
        is_late = SHORT_REASONS[reason] is Reason.WAITING_FOR_CREATE
        return count if is_late else count + self.clamped.get(need, 0)


def _actions(table: NDArray[Any], fleet: Fleet, rows: Ints) -> list[Action]:
    machines = rows[table["slot"]].tolist()
    reasons: dict[tuple[int, int, int], str] = {}
    actions = []
    for machine, order in zip(machines, table.tolist(), strict=True):
        _, need, other, verb, why, grace, cost = order
        # Many orders have one reason, and its text costs more than all else here.
        reason = reasons.get((why, other, cost))
        if reason is None:
            reason = reasons[why, other, cost] = reason_of(fleet, Why(why), other, cost)
        actions.append(Action(VERBS[verb], machine, need, grace, reason))
    return actions


def reason_of(fleet: Fleet, why: Why, other: int, cost_nanos: int) -> str:
    """Say why, in the sentences of ``hotpath``'s phases; ``other`` as in ``shard.h``'s Order."""
    match why:
        case Why.READY:
            return "ready, and reserved for it"
        case Why.FROM_IDLE | Why.FROM_SPECULATIVE:
            source = "idle" if why is Why.FROM_IDLE else "speculative"
            if cost_nanos == UNKNOWN_COST:
                return f"{source}, at an unknown price"
            return f"{source}, at an effective {cost_nanos / NANOS_PER_USD:.6g} USD/h"
        case Why.BEYOND_AND_WANTED:
            return "beyond every count, and wanted"
        case Why.PREEMPTED:
            lower = fleet.needs[other]
            return f"preempted: {lower.name} has the lower priority {lower.priority}"
        case Why.BEYOND_COUNT:
            named = fleet.needs[other].name
            return f"beyond the count of {named}, for longer than the reclaim delay"
        case Why.SERVES_NOTHING:
            return "serves nothing, for longer than the reclaim delay"
        case Why.DRAGS_ON:
            return f"has drained for {other} cycles while a need waits"
        case Why.HELD_LONG_ENOUGH:
            return "idle for longer than its hold"
