"""Phases 1 and 2 in numpy: the oracle of the compiled walk, and its stand-in without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hotpath.answer import Decided
from hotpath.backoff import paused_kinds
from hotpath.inventory import Inventory
from hotpath.memory import Memory
from hotpath.plain.assign import assign
from hotpath.plain.ledger import Ledger
from hotpath.plain.opening import open_ledger, turns_of
from hotpath.plain.preempt import preempt
from hotpath.plain.shortfalls import shortfalls_of
from models.settings import Settings


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
    active, reported = turns_of(inventory, memory.arrivals(inventory.fleet))
    return Begun(ledger, active, reported, paused)


def serve(ledger: Ledger, needs: Sequence[int]) -> None:
    """Give each need its turn, in the order given."""
    for need in needs:
        assign(ledger, need)
        preempt(ledger, need)
