"""Goal: domains of the next lower level that gangs use, beyond the fewest possible.

    sum over gangs q and domains D of  used(q, D) - fewest(q, D, n)

used(q, D) are the domains of the level below that of ``same``, inside D, in which the gang holds a
machine before the plan or is given one by it; n are those machines. What a gang loses as a victim
does not count for it: it is broken, not packed better; one that moves is counted where it goes.
fewest(q, D, n) are the lower domains of D that n machines need, the largest first, if all that
match the gang, in any shard and state, were its own. Machines without the lower label are in one
domain of their own. A gang whose key is the lowest level, or no level, is worth 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.distinct import places_of
from models.fleet import Codes, Ints
from rebalancer.draft import Choice, Draft
from rebalancer.grain import level_below
from rebalancer.snapshot import Snapshot
from rebalancer.terms import Feature, Flag, Terms


def gang_spread(draft: Draft) -> Terms:
    """Give the goal, in domains."""
    snapshot = draft.snapshot
    machines, held = snapshot.fleet.machines, _held(snapshot)
    choices = {
        int(snapshot.demand.need[limit.demand]): limit
        for limit in draft.limits
        if isinstance(limit, Choice)
    }
    per_cell = np.bincount(machines.cell, minlength=len(snapshot.fleet.cells))
    movers = set(snapshot.demand.need[snapshot.demand.migrates].tolist())
    now, features = 0, list[tuple[float, Feature]]()
    for need in sorted(choices.keys() | held.keys()):
        cells = machines.cell[held.get(need, np.empty(0, dtype=np.int64))]
        layout = _layout(snapshot, need, cells, per_cell)
        if layout is not None:
            now += layout.excess()
            if need in choices:
                if need in movers:
                    features.append((-layout.excess(), Flag(np.concatenate(choices[need].options))))
                    layout = _layout(snapshot, need, cells[:0], per_cell) or layout
                features.extend(layout.changes(draft, choices[need]))
    return Terms(np.zeros(len(draft.lanes)), constant=float(now), features=tuple(features))


@dataclass(frozen=True, eq=False, slots=True)
class _Layout:
    """Where one gang stands and could stand.

    Attributes
    ----------
    top, low
        Shape ``(C,)``. The domain of each cell at the gang's level and at the one below; -1 none.
    per_cell
        Shape ``(C,)``. The machines of each cell.
    held
        The cell of each machine that the gang holds.
    """

    snapshot: Snapshot
    need: int
    top: Codes
    low: Codes
    per_cell: Ints
    held: Codes

    def excess(self) -> int:
        """Give what the gang uses now beyond the fewest."""
        total = 0
        for at in np.unique(self.top[self.held]).tolist():
            used = len(self.used(at))
            # One domain is never too many, and most gangs have no more.
            if at >= 0 and used > 1:
                total += used - self.fewest(at, self.machines(at))
        return total

    def used(self, at: int) -> Codes:
        """Give the lower domains of ``at`` in which the gang holds machines."""
        return np.unique(self.low[self.held[self.top[self.held] == at]])

    def machines(self, at: int) -> int:
        """Give the machines that the gang holds in ``at``."""
        return int((self.top[self.held] == at).sum())

    def fewest(self, at: int, machines: int) -> int:
        """Give the fewest lower domains of ``at`` that so many machines need."""
        matching = self.snapshot.matching.eligible(self.snapshot.fleet.needs[self.need])
        inside = np.flatnonzero((self.top == at) & matching)
        # It may hold what matches it no more, for labels change.
        strange = self.held[(self.top[self.held] == at) & ~matching[self.held]]
        place = np.concatenate([self.low[inside], self.low[strange]])
        room = np.concatenate([self.per_cell[inside], np.ones(len(strange), dtype=np.int64)])
        largest_first = -np.sort(-np.bincount(place + 1, weights=room))
        reached = np.concatenate([[0.0], np.cumsum(largest_first)])
        return int(np.searchsorted(reached, machines))

    def changes(self, draft: Draft, choice: Choice) -> Iterator[tuple[float, Feature]]:
        """Give what changes when the gang is served: domains opened, and more that are needed."""
        cell = draft.snapshot.supply.cell[draft.lanes.group]
        for option in choice.options:
            at, low = int(self.top[cell[option[0]]]), self.low[cell[option]]
            held = self.machines(at)
            more = self.fewest(at, held + choice.amount) - self.fewest(at, held)
            if more:
                yield -more, Flag(option)
            for domain in np.setdiff1d(low, self.used(at)).tolist():
                yield 1, Flag(option[low == domain])


def _held(snapshot: Snapshot) -> dict[int, Ints]:
    """Give for each gang that holds machines their rows."""
    serves, needs = snapshot.standing.serves, snapshot.fleet.needs
    serving = np.flatnonzero(serves >= 0)
    by_need = places_of(serves[serving])
    return {need: serving[rows] for need, rows in by_need.items() if needs[need].is_gang}


def _layout(snapshot: Snapshot, need: int, held: Codes, per_cell: Ints) -> _Layout | None:
    """Lay out a gang; None where its level has none below."""
    key = snapshot.fleet.needs[need].same
    below = level_below(snapshot.fleet, key)
    if key is None or below is None:
        return None
    top, low = snapshot.matching.domains(key), snapshot.matching.domains(below)
    return _Layout(snapshot, need, top, low, per_cell, held)
