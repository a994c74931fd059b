"""A cycle that is decided in the compiled kernel, in a shard that lives as long as the cycle."""

import ctypes

import numpy as np

from hotpath.answer import Cycle, Decided
from hotpath.inventory import Inventory
from hotpath.kernel.live import Live
from hotpath.memory import Memory
from hotpath.plain.opening import turns_of
from models.machine import NOBODY
from models.settings import Settings


def cycle(
    inventory: Inventory, memory: Memory, settings: Settings, now: float, library: ctypes.CDLL
) -> Cycle:
    """Decide everything that a shard does now; see ``hotpath.cycle``."""
    live, fleet = Live(inventory, memory, settings, library), inventory.fleet
    orders = live.cycle(now)
    serves = np.full(len(fleet.machines), NOBODY, dtype=np.int32)
    serves[inventory.rows] = live.serving()
    return Cycle(
        shard=inventory.shard,
        actions=orders.actions(fleet, inventory.rows),
        shadowed=orders.reported(fleet, inventory.rows),
        shortfalls=orders.shortfalls(),
        serves=serves,
        memory=live.memory(),
    )


def decide(
    inventory: Inventory, memory: Memory, settings: Settings, now: float, library: ctypes.CDLL
) -> Decided:
    """Walk the needs through phases 1 and 2; see ``hotpath.cycle``."""
    live, fleet = Live(inventory, memory, settings, library), inventory.fleet
    live.open(now)
    live.serve()
    orders = live.answer()
    active, reported = turns_of(inventory, memory.arrivals(fleet))
    return Decided(
        ledger=live.books(inventory),
        memory=memory,
        walk=(*active, *reported),
        shadowed=orders.reported(fleet, inventory.rows),
        shortfalls=orders.shortfalls(),
    )
