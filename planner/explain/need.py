"""How one need is served, what is ordered for it, and why others do not serve it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hotpath.label_columns import LabelColumns
from hotpath.matching import Matching
from hotpath.why.explain import NeedStory
from hotpath.why.explain import explain_need as story_of
from models.action import Action
from models.bootstrap import is_bootstrap_key
from models.fleet import Fleet, Mask
from models.machine import State
from models.need import Need
from models.quantity import format_quantity
from models.settings import Settings
from planner.explain.asked_cycle import AskedCycle, asked_cycle_of


@dataclass(frozen=True, eq=False, slots=True)
class AskedNeed:
    """A need, by its row, in the cycle of its shard.

    Attributes
    ----------
    mismatches
        Machines of the shard by the first requirement or resource of the need that they do not
        meet, in words, in the order of the need.
    free_elsewhere
        By the name of another shard, its machines that match, are idle or speculative, and are not
        taken.
    """

    asked: AskedCycle
    row: int
    story: NeedStory
    mismatches: Mapping[str, int]
    free_elsewhere: Mapping[str, int]

    @property
    def losing(self) -> list[Action]:
        """Give the orders that take a machine from it, for others or for nobody."""
        serves = self.asked.fleet.machines.serves
        return [
            each for each in self.asked.actions if serves[each.machine] == self.row != each.need
        ]

    @property
    def is_short(self) -> bool:
        """Tell whether its cycle leaves it short, or takes a machine from it."""
        return self.story.shortfall is not None or bool(self.losing)


def explain_need(fleet: Fleet, settings: Settings, row: int) -> AskedNeed:
    """Follow a need through the cycle of its shard.

    Raises
    ------
    RuleBroken
        When the judge finds a rule broken in the fleet itself.
    """
    asked = asked_cycle_of(fleet, settings, fleet.shard_of_need(row))
    need = fleet.needs[row]
    return AskedNeed(
        asked,
        row,
        story_of(asked.decided, row),
        _mismatches(asked, need),
        _free_elsewhere(asked, need),
    )


def _free_elsewhere(asked: AskedCycle, need: Need) -> dict[str, int]:
    """Count the machines of other shards that match, are idle or speculative, and are not taken."""
    fleet, machines = asked.fleet, asked.fleet.machines
    stable = (machines.state == State.IDLE) | (machines.state == State.SPECULATIVE)
    free: Mask = stable & (machines.serves < 0) & np.isnan(machines.reclaim_at) & ~machines.pinned
    free &= Matching(fleet, asked.bootstrap_keys).eligible(need)[machines.cell]
    counts = np.bincount(machines.shard[free], minlength=len(fleet.shards)).tolist()
    return {
        shard.name: count
        for row, (shard, count) in enumerate(zip(fleet.shards, counts, strict=True))
        if count and row != asked.cycle.shard
    }


def _mismatches(asked: AskedCycle, need: Need) -> dict[str, int]:
    """Count the shard's machines by what of the need they fail first, in the order of the need."""
    fleet, cells = asked.fleet, asked.decided.ledger.inventory.machines.cell
    columns = LabelColumns(fleet)
    tests: dict[str, Mask] = {
        str(requirement): columns.meets(requirement)[cells]
        for requirement in need.requirements
        if not is_bootstrap_key(requirement.key, asked.bootstrap_keys)
    }
    for name, amount in need.resources.items():
        tests[f"{name} >= {format_quantity(amount, name)}"] = fleet.cells_with(name, amount)[cells]
    left = np.ones(len(cells), dtype=np.bool_)
    counts = {}
    for what, passes in tests.items():
        counts[what] = int(np.count_nonzero(left & ~passes))
        left &= passes
    return {what: count for what, count in counts.items() if count}
