"""One cycle of one shard: the fast answer.

``decide`` walks the needs through phases 1 and 2; ``give_back`` adds phase 3 and release, after a
rebalancer (if any) has had its say; ``cycle`` does both. All are pure: the same input gives the
same output, whatever the order of rows, and no input is changed. The compiled kernel does the work
where there is one, numpy elsewhere; the answer is the same.
"""

import numpy as np

from hotpath.answer import Cycle, Decided
from hotpath.inventory import Inventory
from hotpath.kernel import cycle as compiled
from hotpath.kernel.library import library
from hotpath.memory import Memory
from hotpath.plain import walk
from hotpath.plain.finish import give_back
from models.settings import Settings

__all__ = ["Cycle", "Decided", "cycle", "decide", "give_back"]


def cycle(inventory: Inventory, memory: Memory, settings: Settings, now: float) -> Cycle:
    """Decide everything that a shard does now; ``now`` is on the axis of ``state_since``."""
    kernel = library()
    if kernel is not None:
        return compiled.cycle(inventory, memory, settings, now, kernel)
    nothing = np.zeros(len(inventory.fleet.machines), dtype=np.bool_)
    return give_back(walk.decide(inventory, memory, settings, now), nothing)


def decide(inventory: Inventory, memory: Memory, settings: Settings, now: float) -> Decided:
    """Walk the needs: each goes through phases 1 and 2 before the next is looked at."""
    kernel = library()
    if kernel is not None:
        return compiled.decide(inventory, memory, settings, now, kernel)
    return walk.decide(inventory, memory, settings, now)
