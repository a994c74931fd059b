"""Phase 3: give back what is beyond every count, once that has stood for a while."""

import numpy as np

from hotpath.memory import Memory
from hotpath.plain.ledger import Ledger
from hotpath.plain.order import give_back_order
from models.machine import NOBODY


def mark_stood(ledger: Ledger, memory: Memory) -> None:
    """Mark the excess that has stood for ``reclaim.delay``.

    Before the first cycle nothing is remembered, so timers count from the last change of state;
    later an excess counts from the cycle that first saw it, so that needs which flap drain nothing.
    """
    for machine in np.flatnonzero(ledger.excess).tolist():
        begun = excess_begun(ledger, memory, machine)
        ledger.stood[machine] = ledger.now - begun >= ledger.settings.reclaim.delay


def excess_begun(ledger: Ledger, memory: Memory, machine: int) -> float:
    """Give since when a machine that is excess now has been so."""
    columns = ledger.inventory.machines
    if memory.last_cycle is None:
        return float(columns.state_since[machine])
    return memory.excess_since.get(str(columns.ids[machine]), ledger.now)


def reclaim(ledger: Ledger) -> None:
    """Order Drain, for nobody, of every configured machine whose excess has stood.

    Reserved idle and creating machines lost their reservation when the books were opened;
    configuring ones are drained once they are configured. Pinned machines stay.
    """
    grace = ledger.settings.preempt.grace[-1][1]
    ready = ledger.excess & ledger.stood & ledger.configured() & ~ledger.inventory.machines.pinned
    for machine in give_back_order(ledger.inventory, np.flatnonzero(ready)).tolist():
        named = int(ledger.names[machine])
        what = (
            f"beyond the count of {ledger.needs[named].name}"
            if named != NOBODY
            else "serves nothing"
        )
        ledger.drain(NOBODY, machine, grace, f"{what}, for longer than the reclaim delay")
