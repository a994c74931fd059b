"""The trace of a cycle, by replay: the books as they stood when a need's turn came.

A cycle is pure, so deciding again as far as a need gives the very books that it was decided on.
Nothing is recorded meanwhile: whoever does not ask pays nothing.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from hotpath.inventory import Inventory
from hotpath.memory import Memory
from hotpath.plain.ledger import Ledger
from hotpath.plain.walk import begin, serve
from models.fleet import Codes
from models.settings import Settings


@dataclass(frozen=True, eq=False, slots=True)
class Turn:
    """One need's turn.

    Attributes
    ----------
    opened
        Shape ``(m,)``. Whom each machine served when the books were opened, before any turn.
    before, after
        The books when the turn came and when it was over. ``after`` is written on in later turns:
        read it before asking for the next one.
    """

    need: int
    opened: Codes
    before: Ledger
    after: Ledger


def turns(
    inventory: Inventory, memory: Memory, settings: Settings, now: float, needs: Container[int]
) -> Iterator[Turn]:
    """Decide again as ``decide`` does, and give the turns of ``needs`` in their order.

    Needs of shadow clusters come last, as they do there. A need without a turn, because its cluster
    is silent or another shard's, is left out.
    """
    begun = begin(inventory, memory, settings, now)
    books, walk = begun.ledger, begun.walk
    opened, served = books.serves.copy(), 0
    for place, need in enumerate(walk):
        if need in needs:
            serve(books, walk[served:place])
            before = books.copy()
            serve(books, [need])
            served = place + 1
            yield Turn(need, opened, before, books)
