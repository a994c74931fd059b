"""One cycle of one shard: the fast answer.

``decide`` walks the needs through phases 1 and 2; ``give_back`` adds phase 3 and release, after a
rebalancer (if any) has had its say; ``cycle`` does both. All are pure: the same input gives the
same output, whatever the order of rows, and no input is changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hotpath.assign import assign
from hotpath.backoff import paused_kinds
from hotpath.escalate import escalate
from hotpath.inventory import Inventory
from hotpath.ledger import Ledger
from hotpath.memory import DrainWatch, Memory, need_key
from hotpath.opening import open_ledger, walk_order
from hotpath.preempt import preempt
from hotpath.reclaim import excess_begun, reclaim
from hotpath.release import learned_rates, release
from hotpath.shortfalls import shortfalls_of
from models.action import Action
from models.fleet import Codes, Mask
from models.machine import NOBODY
from models.settings import Settings
from models.shortfall import Shortfall


@dataclass(frozen=True, eq=False, slots=True)
class Begun:
    """A cycle before the first need's turn.

    ``reported`` are the needs of shadow clusters, ``active`` all others, each in the order of their
    turns; ``paused`` is what back-off leaves alone, see ``paused_kinds``.
    """

    ledger: Ledger
    active: list[int]
    reported: list[int]
    paused: Mapping[int, str]

    @property
    def walk(self) -> tuple[int, ...]:
        """Give all needs in the order of their turns."""
        return (*self.active, *self.reported)


@dataclass(frozen=True, eq=False, slots=True)
class Decided:
    """A cycle after phases 1 and 2. The books belong to it: whoever reads them does not write.

    ``walk`` holds the needs in the order of their turns. ``shadowed`` and the shortfalls of shadow
    clusters come from books of their own, since what is only reported must not keep anything from
    a need that is acted on.
    """

    ledger: Ledger
    memory: Memory
    walk: tuple[int, ...]
    shadowed: tuple[Action, ...]
    shortfalls: tuple[Shortfall, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Cycle:
    """The answer of a cycle.

    Attributes
    ----------
    actions
        In the order of the walk, then what is given back. Never for a cluster in shadow mode.
    shadowed
        What would have been ordered for clusters in shadow mode.
    serves
        Shape of the fleet's machines. The need that each machine of this shard serves, is reserved
        for or drains for, once the actions are done; -1.
    """

    shard: int
    actions: tuple[Action, ...]
    shadowed: tuple[Action, ...]
    shortfalls: tuple[Shortfall, ...]
    serves: Codes
    memory: Memory


def cycle(inventory: Inventory, memory: Memory, settings: Settings, now: float) -> Cycle:
    """Decide everything that a shard does now; ``now`` is on the axis of ``state_since``."""
    nothing = np.zeros(len(inventory.fleet.machines), dtype=np.bool_)
    return give_back(decide(inventory, memory, settings, now), nothing)


def decide(inventory: Inventory, memory: Memory, settings: Settings, now: float) -> Decided:
    """Walk the needs: each goes through phases 1 and 2 before the next is looked at."""
    begun = begin(inventory, memory, settings, now)
    ledger = begun.ledger
    serve(ledger, begun.active)
    books = ledger.copy()
    serve(books, begun.reported)
    return Decided(
        ledger=ledger,
        memory=memory,
        walk=begun.walk,
        shadowed=tuple(books.actions[len(ledger.actions) :]),
        shortfalls=(
            *shortfalls_of(ledger, memory, begun.active, begun.paused),
            *shortfalls_of(books, memory, begun.reported, begun.paused),
        ),
    )


def begin(inventory: Inventory, memory: Memory, settings: Settings, now: float) -> Begun:
    """Open the books and say in which order the needs will be served."""
    paused = paused_kinds(inventory, memory, now)
    left_alone = np.zeros(len(inventory), dtype=np.bool_)
    left_alone[list(paused)] = True
    ledger = open_ledger(inventory, settings, memory, left_alone, now)
    walk = walk_order(ledger, memory.arrivals(inventory.fleet))
    shadow = inventory.shadow[inventory.fleet.need_cluster]
    active, reported = ([n for n in walk if shadow[n] == flag] for flag in (False, True))
    return Begun(ledger, active, reported, paused)


def serve(ledger: Ledger, needs: Sequence[int]) -> None:
    """Give each need its turn, in the order given."""
    for need in needs:
        assign(ledger, need)
        preempt(ledger, need)


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
