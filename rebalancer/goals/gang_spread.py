"""Goal: domains of the next lower level that gangs use, beyond the fewest possible.

    sum over gangs q and domains D of  used(q, D) - fewest(q, D, n)

used(q, D) are the domains of the level below that of ``same``, inside D, in which the gang holds a
machine before the plan or is given one by it; n are those machines. What a gang loses as a victim
does not count for it: it is broken, not packed better. fewest(q, D, n) are the lower domains of D
that n machines need, the largest first, if all that match the gang, in any shard and state, were
its own. Machines without the lower label are in no domain. A gang whose key is the lowest level, or
no level, is worth 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.distinct import alike
from models.fleet import Ints
from rebalancer.draft import Choice, Draft
from rebalancer.grain import level_below
from rebalancer.snapshot import Snapshot
from rebalancer.terms import Feature, Flag, Terms


def gang_spread(draft: Draft) -> Terms:
    """Give the goal, in domains."""
    snapshot = draft.snapshot
    choices = {
        int(snapshot.demand.need[limit.demand]): limit
        for limit in draft.limits
        if isinstance(limit, Choice)
    }
    held = _held(snapshot)
    now, features = 0, list[tuple[float, Feature]]()
    for need in sorted(choices.keys() | held.keys()):
        layout = _layout(snapshot, need, held.get(need, np.empty(0, dtype=np.int64)))
        if layout is not None:
            now += sum(layout.excess(at) for at in np.unique(layout.held_top).tolist() if at >= 0)
            if need in choices:
                features.extend(layout.changes(draft, choices[need]))
    return Terms(np.zeros(len(draft.lanes)), constant=float(now), features=tuple(features))


@dataclass(frozen=True, eq=False, slots=True)
class _Layout:
    """Where one gang stands and could stand.

    Attributes
    ----------
    top, low
        Shape ``(C,)``. The domain of each cell at the gang's level and at the one below.
    room
        Shape ``(C,)``. Machines of each cell that the gang could have, or has.
    held_top, held_low
        The same two for each machine that it holds.
    """

    top: Ints
    low: Ints
    room: Ints
    held_top: Ints
    held_low: Ints

    def used(self, at: int) -> Ints:
        """Give the lower domains of ``at`` in which the gang holds machines."""
        low = np.unique(self.held_low[self.held_top == at])
        return low[low >= 0]

    def fewest(self, at: int, machines: int) -> int:
        """Give the fewest lower domains of ``at`` that so many machines need."""
        inside = self.top == at
        low, room = self.low[inside], self.room[inside]
        by_domain = np.bincount(low[low >= 0], weights=room[low >= 0])
        largest = -np.sort(-by_domain)
        reached = int(room[low < 0].sum()) + np.concatenate([[0.0], np.cumsum(largest)])
        return int(np.searchsorted(reached, machines))

    def excess(self, at: int) -> int:
        """Give what the gang uses in ``at`` now, beyond the fewest."""
        return len(self.used(at)) - self.fewest(at, int((self.held_top == at).sum()))

    def changes(self, draft: Draft, choice: Choice) -> Iterator[tuple[float, Feature]]:
        """Give what changes when the gang is served: domains opened, and more that are needed."""
        cell = draft.snapshot.supply.cell[draft.lanes.group]
        for option in choice.options:
            at, low = int(self.top[cell[option[0]]]), self.low[cell[option]]
            held = int((self.held_top == at).sum())
            more = self.fewest(at, held + choice.amount) - self.fewest(at, held)
            if more:
                yield -more, Flag(option)
            opened = np.setdiff1d(low[low >= 0], self.used(at))
            for domain in opened.tolist():
                yield 1, Flag(option[low == domain])


def _held(snapshot: Snapshot) -> dict[int, Ints]:
    """Give for each gang that holds machines their rows."""
    serves, needs = snapshot.standing.serves, snapshot.fleet.needs
    serving = np.flatnonzero(serves >= 0)
    groups = alike([serves[serving]], len(serving))
    held = {int(serves[serving[group[0]]]): serving[group] for group in groups}
    return {need: rows for need, rows in held.items() if needs[need].is_gang}


def _layout(snapshot: Snapshot, row: int, held: Ints) -> _Layout | None:
    """Lay out a gang; None where its level has none below."""
    fleet, need = snapshot.fleet, snapshot.fleet.needs[row]
    below = level_below(fleet, need.same)
    if need.same is None or below is None:
        return None
    top, low = snapshot.matching.domains(need.same), snapshot.matching.domains(below)
    matching = snapshot.matching.eligible(need)
    machines = np.bincount(fleet.machines.cell, minlength=len(fleet.cells))
    cells = fleet.machines.cell[held]
    # It may hold what matches it no more, for labels change.
    strange = np.bincount(cells[~matching[cells]], minlength=len(fleet.cells))
    room = np.where(matching, machines, 0) + strange
    return _Layout(
        top.astype(np.int64), low.astype(np.int64), room, top[cells].astype(np.int64),
        low[cells].astype(np.int64),
    )  # fmt: skip
