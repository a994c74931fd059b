"""The cycle of one shard that is asked about."""

from dataclasses import dataclass

from hotpath.cycle import Cycle, Decided
from models.action import Action
from models.fleet import Fleet
from models.settings import Settings
from planner.deciding import decide_shards, finish_shards


@dataclass(frozen=True, eq=False, slots=True)
class AskedCycle:
    """A fleet and the cycle of the shard that is asked about, after phase 2 and at its end."""

    fleet: Fleet
    decided: Decided
    cycle: Cycle

    @property
    def actions(self) -> tuple[Action, ...]:
        """Give all orders, those that shadow mode holds back too."""
        return (*self.cycle.actions, *self.cycle.shadowed)

    @property
    def bootstrap_keys(self) -> tuple[str, ...]:
        """Give the label patterns that the bootstrap blob makes true."""
        return tuple(map(str, self.decided.ledger.settings.assign.bootstrap_keys))


def asked_cycle_of(fleet: Fleet, settings: Settings, shard: int) -> AskedCycle:
    """Cycle one shard with an empty memory.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    [decided] = decide_shards(fleet, settings, [shard])
    [cycle] = finish_shards(fleet, settings, [decided])
    return AskedCycle(fleet, decided, cycle)
