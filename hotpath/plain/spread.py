"""Spread: where one machine more would keep a need even over the values of a label."""

from dataclasses import dataclass
from math import inf

import numpy as np

from hotpath.plain.ledger import Ledger
from models.fleet import Codes, Ints
from models.need import Spread


@dataclass(eq=False, slots=True)
class Skew:
    """How a need stands in the domains of each of its spread constraints; grows as it takes more.

    Attributes
    ----------
    domain_of_cell
        For each constraint the domain of each cell, shape ``(C,)``; -1 without a (non-empty) value.
    counts
        For each constraint the machines the need has in each domain.
    present
        For each constraint the domains in which any machine of the shard, in any state, matches.
    """

    constraints: tuple[Spread, ...]
    domain_of_cell: tuple[Codes, ...]
    counts: tuple[Ints, ...]
    present: tuple[Ints, ...]

    def place(self, cell: int) -> tuple[int, ...]:
        """Give the domains of a cell, one for each constraint."""
        return tuple(int(domain[cell]) for domain in self.domain_of_cell)

    def allows(self, domains: tuple[int, ...]) -> bool:
        """Tell whether one machine more, there, keeps every hard constraint."""
        return all(
            not constraint.is_hard or (domain >= 0 and self._keeps(index, domain))
            for index, (constraint, domain) in enumerate(
                zip(self.constraints, domains, strict=True)
            )
        )

    def _keeps(self, index: int, domain: int) -> bool:
        counts = self.counts[index]
        if not len(self.present[index]):
            return False
        least = counts[self.present[index]].min()
        return bool(counts[domain] + 1 - least <= self.constraints[index].max_skew)

    def crowding(self, domains: tuple[int, ...]) -> tuple[float, ...]:
        """Give the order of domains, emptiest first; machines without a value come last."""
        return tuple(
            float(counts[domain]) if domain >= 0 else inf
            for counts, domain in zip(self.counts, domains, strict=True)
        )

    def add(self, domains: tuple[int, ...], machines: int) -> None:
        """Count machines in."""
        for counts, domain in zip(self.counts, domains, strict=True):
            if domain >= 0:
                counts[domain] += machines


def skew_of(ledger: Ledger, need: int) -> Skew:
    """Give how the need stands now, with what it holds and what drains for it."""
    constraints = ledger.needs[need].spread
    if not constraints:
        return Skew((), (), (), ())
    matching = ledger.inventory.present & ledger.matching.eligible(ledger.needs[need])
    own = ledger.inventory.machines.cell[ledger.members(need)]
    codes = tuple(ledger.matching.values(constraint.key) for constraint in constraints)
    width = [int(code.max(initial=-1)) + 1 for code in codes]
    return Skew(
        constraints=constraints,
        domain_of_cell=codes,
        counts=tuple(
            np.bincount(code[own][code[own] >= 0], minlength=size)
            for code, size in zip(codes, width, strict=True)
        ),
        present=tuple(np.unique(code[matching & (code >= 0)]) for code in codes),
    )
