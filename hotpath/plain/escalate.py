"""Drains that drag on: shorten their grace, step by step, while a need waits for them."""

from collections.abc import Mapping

import numpy as np

from hotpath.memory import DrainWatch, Memory
from hotpath.plain.ledger import Ledger
from models.action import Action, Verb
from models.machine import State

CYCLES_PER_STEP = 5


def escalate(ledger: Ledger, memory: Memory) -> dict[str, DrainWatch]:
    """Order the next shorter grace of each drain that a need has waited 5 cycles more for.

    Returns the watches for the next cycle, those of this cycle's drains among them.
    """
    columns, steps = ledger.inventory.machines, ledger.settings.preempt.grace
    watches = _begun(ledger)
    waiting = ledger.inventory.has_state(State.DRAINING) & ledger.draining & (ledger.serves >= 0)
    for machine in np.flatnonzero(waiting).tolist():
        key = str(columns.ids[machine])
        last = memory.drains.get(key, DrainWatch(0, steps[-1][1]))
        grace, cycles = last.grace_seconds, last.cycles + 1
        shorter = [seconds for _, seconds in steps if seconds < grace]
        if cycles % CYCLES_PER_STEP == 0 and shorter:
            grace = max(shorter)
            reason = f"has drained for {cycles} cycles while a need waits"
            row = int(ledger.inventory.rows[machine])
            need = int(ledger.serves[machine])
            ledger.actions.append(Action(Verb.DRAIN, row, need, grace, reason))
        watches[key] = DrainWatch(cycles, grace)
    return watches


def overdue(watches: Mapping[str, DrainWatch]) -> list[str]:
    """Give the machines, by id, whose drains the shard is to report to the coordinator."""
    return sorted(key for key, watch in watches.items() if watch.cycles > CYCLES_PER_STEP)


def _begun(ledger: Ledger) -> dict[str, DrainWatch]:
    ids = ledger.inventory.fleet.machines.ids
    return {
        str(ids[action.machine]): DrainWatch(0, action.grace_seconds)
        for action in ledger.actions
        if action.verb is Verb.DRAIN
    }
