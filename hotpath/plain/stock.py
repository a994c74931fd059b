"""The free machines of a shard in piles, so that a need looks at counts and not at machines.

A pile holds machines that no need can tell apart but by name and by their cell's labels: alike in
class, in being idle or speculative, in being claimed by somebody, and in what orders them (the
decade of the penalty, or a long wait). Needs that spread have piles of their own, split by domain.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from models.distinct import alike
from models.fleet import Codes, Ints, Mask

DECADES = np.array([0.0, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5])
"""Upper ends of the classes of reclamation penalty: 0, to 1, to 10, ... to 100,000, more."""

UNCLAIMED, LAPSING, RESERVED = 0, 1, 2
"""Nobody's; beyond its need's count, but too short a time to be anybody's; reserved for a need."""


@dataclass(frozen=True, eq=False, slots=True)
class Piles:
    """Piles and what is alike in each; columns of shape ``(P,)``.

    Attributes
    ----------
    machines
        Of each pile, by id. Machines that were given away meanwhile may still be there.
    code
        Decade of the penalty of idle machines; 1 for speculative ones that are long in coming.
    zone
        Of speculative machines; -1 for idle ones, whose order it does not touch.
    claim
        Of idle machines: UNCLAIMED, LAPSING or RESERVED.
    domains
        ``(P, D)``. The domain for each key that the piles were split by.
    left
        How many are in each pile at the most; 0 once it is known to be empty.
    """

    machines: list[Ints]
    class_index: Codes
    zone: Codes
    code: Ints
    is_speculative: Mask
    claim: Ints
    domains: Codes
    left: Ints

    def copy(self) -> "Piles":
        """Give piles that can be drawn from without a trace in these."""
        return replace(self, machines=list(self.machines), left=self.left.copy())

    def prune(self, pile: int, idle: Mask, speculative: Mask) -> Ints:
        """Leave out what is neither idle nor speculative any more, ``(m,)``; give what is."""
        machines = self.machines[pile]
        machines = machines[idle[machines] | speculative[machines]]
        self.machines[pile] = machines
        self.left[pile] = len(machines)
        return machines


@dataclass(frozen=True, eq=False, slots=True)
class Shelf:
    """Columns of the free machines, each of shape ``(F,)``, by class and id."""

    machines: Ints
    cell: Codes
    class_index: Codes
    zone: Codes
    code: Ints
    is_speculative: Mask
    claim: Ints

    def among(self, rows: Ints) -> "Shelf":
        """Give the named ones."""
        return Shelf(*(getattr(self, name)[rows] for name in self.__slots__))

    def piles(self, domain_of_cell: tuple[Codes, ...]) -> Piles:
        """Sort them into piles, split by the domains of their cells."""
        columns = [domain[self.cell] for domain in domain_of_cell]
        groups = alike(
            (
                self.class_index,
                self.is_speculative,
                self.claim,
                np.where(self.is_speculative, self.zone, -1),
                self.code,
                *columns,
            ),
            len(self.machines),
        )
        first = np.array([group[0] for group in groups], dtype=np.int64)
        return Piles(
            machines=[self.machines[group] for group in groups],
            class_index=self.class_index[first],
            zone=np.where(self.is_speculative[first], self.zone[first], -1).astype(np.int32),
            code=self.code[first],
            is_speculative=self.is_speculative[first],
            claim=self.claim[first],
            domains=np.stack([column[first] for column in columns], axis=1)
            if columns
            else np.zeros((len(first), 0), dtype=np.int32),
            left=np.array([len(group) for group in groups], dtype=np.int64),
        )


@dataclass(eq=False, slots=True)
class Stock:
    """The free machines as they were when the books were opened, and their piles."""

    shelf: Shelf
    _by_cell: Ints
    _start: Ints
    _piles: dict[tuple[str, ...], Piles] = field(default_factory=dict)

    @staticmethod
    def of(shelf: Shelf, cells: int) -> "Stock":
        """Give the stock of a shelf; ``cells`` is how many cells there are."""
        by_cell = np.argsort(shelf.cell, kind="stable").astype(np.int64)
        start = np.searchsorted(shelf.cell[by_cell], np.arange(cells + 1)).astype(np.int64)
        return Stock(shelf, by_cell, start)

    def at(self, cells: Ints) -> Shelf:
        """Give what stands in some cells, by class and id."""
        runs = [self._by_cell[self._start[c] : self._start[c + 1]] for c in cells.tolist()]
        return self.shelf.among(np.sort(np.concatenate([self._by_cell[:0], *runs])))

    @staticmethod
    def empty() -> "Stock":
        """Give a stock of nothing."""
        none, code = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        mask = np.zeros(0, dtype=np.bool_)
        return Stock.of(Shelf(none, code, code, code, none, mask, none), 0)

    def piles(self, keys: tuple[str, ...], domain_of_cell: tuple[Codes, ...]) -> Piles:
        """Give the piles, split by the domains of the labels ``keys``; sorted once for each."""
        if keys not in self._piles:
            self._piles[keys] = self.shelf.piles(domain_of_cell)
        return self._piles[keys]

    def copy(self) -> "Stock":
        """Give a stock that can be drawn from without a trace in this one."""
        piles = {keys: piles.copy() for keys, piles in self._piles.items()}
        return Stock(self.shelf, self._by_cell, self._start, piles)
