"""The end of a cycle in numpy: phase 3, release, and what the next cycle must know."""

from collections.abc import Mapping

import numpy as np

from hotpath.answer import Cycle, Decided
from hotpath.memory import DrainWatch, Memory, need_key
from hotpath.plain.escalate import escalate
from hotpath.plain.ledger import Ledger
from hotpath.plain.reclaim import excess_begun, reclaim
from hotpath.plain.release import learned_rates, release
from models.fleet import Mask
from models.machine import NOBODY


def give_back(decided: Decided, taken: Mask) -> Cycle:
    """Finish a cycle: give back what is beyond every count, delete what idles for too long.

    ``taken``, shape of the fleet's machines, marks what a plan moves elsewhere: hands off.
    """
    ledger, fleet = decided.ledger.copy(), decided.ledger.inventory.fleet
    hands_off = taken[ledger.inventory.rows]
    ledger.idle &= ~hands_off
    ledger.excess &= ~hands_off
    reclaim(ledger)
    release(ledger, decided.memory)
    watches = escalate(ledger, decided.memory)

    serves = np.full(len(fleet.machines), NOBODY, dtype=np.int32)
    serves[ledger.inventory.rows] = ledger.serves
    return Cycle(
        shard=ledger.inventory.shard,
        actions=tuple(ledger.actions),
        shadowed=decided.shadowed,
        shortfalls=decided.shortfalls,
        serves=serves,
        memory=_remember(decided, ledger, watches),
    )


def _remember(decided: Decided, ledger: Ledger, watches: Mapping[str, DrainWatch]) -> Memory:
    """Give the memory for the next cycle; what is not there any more is forgotten."""
    memory, inventory, now = decided.memory, ledger.inventory, ledger.now
    keys = [need_key(inventory.fleet.needs[need]) for need in inventory.needs.tolist()]
    books = decided.ledger
    return Memory(
        last_cycle=now,
        arrived={key: memory.arrived.get(key, now) for key in keys},
        short_cycles={
            need_key(inventory.fleet.needs[short.need]): short.age_cycles
            for short in decided.shortfalls
        },
        excess_since={
            str(inventory.machines.ids[machine]): excess_begun(books, memory, machine)
            for machine in np.flatnonzero(books.excess).tolist()
        },
        pauses={
            # Over, but remembered for a while: a failure soon after doubles the pause.
            scope: pause
            for scope, pause in memory.pauses.items()
            if now <= pause.until + ledger.settings.backoff.max
        },
        rates=learned_rates(memory, ledger, ledger.actions, now),
        drains=watches,
    )
