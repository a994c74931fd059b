"""How one machine stands, and what came of it at the turn of each need of its shard."""

from dataclasses import dataclass

from hotpath.why.explain import MachineStory
from hotpath.why.explain import explain_machine as story_of
from models.fleet import Fleet
from models.settings import Settings
from planner.explain.asked_cycle import AskedCycle, asked_cycle_of


@dataclass(frozen=True, eq=False, slots=True)
class AskedMachine:
    """A machine, by its row, in the cycle of its shard."""

    asked: AskedCycle
    row: int
    story: MachineStory


def explain_machine(fleet: Fleet, settings: Settings, row: int) -> AskedMachine:
    """Follow a machine through the cycle of its shard.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    asked = asked_cycle_of(fleet, settings, int(fleet.machines.shard[row]))
    return AskedMachine(asked, row, story_of(asked.decided, row))
