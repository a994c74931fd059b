"""A shard as the compiled kernel takes it in: roll-ups, and machines as columns in id order."""

from dataclasses import dataclass, replace

import numpy as np

from hotpath.inventory import Inventory, inventory_of
from hotpath.kernel.library import library
from hotpath.kernel.live import Live
from hotpath.kernel.names import Names, names_of
from hotpath.memory import Memory
from hotpath.reports import Reports, reports_of
from models.fleet import Codes, Fleet
from models.settings import Settings


@dataclass(frozen=True, eq=False, slots=True)
class LaidOut:
    """One shard; ``roll_up`` has its needs and no machines, which are the other columns."""

    roll_up: Inventory
    names: Names
    cell: Codes
    id_rank: Codes
    reports: Reports

    @property
    def fleet(self) -> Fleet:
        """Give the fleet without machines."""
        return self.roll_up.fleet

    def empty(self, settings: Settings, memory: Memory | None = None) -> Live:
        """Give a live shard that knows the needs and waits for machines.

        Raises
        ------
        RuntimeError
            Without a compiled kernel.
        """
        found = library()
        if found is None:
            raise RuntimeError("no kernel was compiled.")
        return Live(self.roll_up, memory or Memory(), settings, found, is_empty=True)

    def enter(self, live: Live, memory: Memory | None = None) -> None:
        """Put the machines in."""
        live.enter(self.names, self.cell, self.id_rank, self.reports, memory or Memory())


def laid_out(fleet: Fleet, settings: Settings) -> LaidOut:
    """Lay out the only shard of a fleet."""
    machines = fleet.machines
    nobody = machines.take(np.zeros(0, dtype=np.int64))
    return LaidOut(
        roll_up=inventory_of(replace(fleet, machines=nobody), 0),
        names=names_of(machines, len(fleet.classes)),
        cell=machines.cell,
        id_rank=machines.id_rank.astype(np.int32),
        reports=reports_of(machines, settings),
    )
