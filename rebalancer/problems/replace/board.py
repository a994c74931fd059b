"""Nodes and arcs as they are laid, and the cheapest flow over them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from models.fleet import Ints, Reals
from rebalancer.flows.arcs import Arcs
from rebalancer.flows.cheapest import cheapest

SINK, SOURCE = 0, 1

FINEST_USD = 1e-6
"""Money is compared in whole micro-dollars, or coarser where the solver's 64 bits would not do."""

LARGEST_COST = 2.0**40
"""Of one arc: with the million nodes by which the solver multiplies it stays inside 64 bits."""

Column = Ints | Reals | Sequence[int] | Sequence[float] | int | float


@dataclass(slots=True)
class Board:
    """Arcs laid so far; every new node takes the next number."""

    nodes: int = 2
    arcs: int = 0
    _columns: list[tuple[Ints, Ints, Ints, Reals]] = field(default_factory=list)

    def block(self, count: int) -> int:
        """Add nodes; give the first."""
        self.nodes += count
        return self.nodes - count

    def lay(self, tail: Column, head: Column, most: Column, cost: Column = 0.0) -> slice:
        """Lay arcs, ``cost`` in USD a machine; give where they stand."""
        tails, heads, mosts, costs = np.broadcast_arrays(
            *map(np.atleast_1d, (tail, head, most, cost))
        )
        self._columns.append(
            (
                tails.astype(np.int64),
                heads.astype(np.int64),
                mosts.astype(np.int64),
                costs.astype(np.float64),
            )
        )
        self.arcs += len(tails)
        return slice(self.arcs - len(tails), self.arcs)

    def laid(self) -> "Network":
        """Give all of them."""
        tail, head, most, usd = map(np.concatenate, zip(*self._columns, strict=True))
        unit = max(FINEST_USD, float(np.abs(usd).max(initial=0.0)) / LARGEST_COST)
        # What is paid is rounded up and what is saved down, so that what pays here pays indeed.
        cost = np.ceil(usd / unit).astype(np.int64)
        return Network(Arcs(self.nodes, tail, head, most), cost)


@dataclass(frozen=True, eq=False, slots=True)
class Network:
    """Arcs, ``A`` of them, and what one machine on each costs, ``(A,)``, in whole units."""

    arcs: Arcs
    cost: Ints

    def best(self, least: Ints, most: Ints) -> tuple[int, Ints] | None:
        """Give the most that can be saved, in units, and the flow, ``(A,)``; None: no flow."""
        flow = cheapest(self.arcs, least, most, self.cost)
        return None if flow is None else (-int(flow @ self.cost), flow)
