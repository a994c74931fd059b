"""What a solve decides, and within what limits, in terms that no solver has to know.

The mathematics. Sets: supply groups g (machines of one donor that nothing tells apart, c_g of
them), demands n (short by s_n, at priority P_n). A *lane* l = (g, n) is a pair that every rule on
pairs allows. Variables:

    x_l in {0 .. min(c_g, s_n)}        machines that go that way
    z_o in {0, 1}                      a gang takes all it lacks from option o = (shard, domain)

A running gang q that may move within its shard is a demand too: s_q is then all its machines.
Limits, of four kinds, given by the rules:

    Cap      sum of x over some lanes <= a number            once, wanted, floor, max_moves
    Choice   sum of x over option o = s_n * z_o,  sum of z <= 1                        domain
    Skew     x into domain D > 0  =>  held_D + arriving_D <= skew + held_E + arriving_E
             for every domain E that is known or opened by an arriving machine         spread
    Relocation
             sum of z_o of q = 1  =>  one gang of its shard that is short takes all s_q machines
             that q leaves, and nobody else any; else only who may evict q takes any   migration

Objectives, one after the other, the value reached at each held fast for all that follow and never
mixed by giant weights (levels p from the highest down):

    1. for each p    max  sum of x over lanes into p  -  sum of x over lanes whose victim is at p
    2.               min  sum of x over lanes that drain
    3.               min  sum of x over speculative lanes
    4.               min  sum of x over idle lanes of unknown price, where there are any
    5.               min  sum over goals of weight * value, in USD

What a step minimises, and what a goal is worth, is linear in x but for a few features such as "a
gang is broken": ``rebalancer.terms``.

The blast radius limits what is applied in a window, not what is planned, so it appears in
``rebalancer.windows`` and not here.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.distinct import sums
from models.fleet import Ints, Mask
from rebalancer.snapshot import Snapshot, SupplyKind


@dataclass(frozen=True, eq=False, slots=True)
class Lanes:
    """The allowed pairs, ``X`` of them, sorted by (group, demand).

    ``group`` and ``demand`` are rows of the snapshot's supply and demand; ``most`` is the largest
    count of machines that can go that way. All ``(X,)``.
    """

    group: Ints
    demand: Ints
    most: Ints
    _by_demand: tuple[Ints, Ints] = field(init=False)

    def __post_init__(self) -> None:
        # Once: looking through all lanes for each need takes lanes times needs.
        starts = np.append(0, np.cumsum(np.bincount(self.demand))).astype(np.int64)
        object.__setattr__(self, "_by_demand", (np.argsort(self.demand, kind="stable"), starts))

    def __len__(self) -> int:
        return len(self.group)

    def of_demand(self, demand: int) -> Ints:
        """Give the lanes that lead to one demand, ascending."""
        order, starts = self._by_demand
        return order[slice(*starts[demand : demand + 2])] if demand + 1 < len(starts) else order[:0]


@dataclass(frozen=True, eq=False, slots=True)
class Cap:
    """The sum over ``lanes`` is at most ``most``."""

    lanes: Ints
    most: int

    def holds(self, counts: Ints) -> bool:
        """Tell whether the counts, ``(X,)``, keep the limit."""
        return int(counts[self.lanes].sum()) <= self.most


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """Exactly ``amount`` machines over one of the options, which share no lane, or none at all."""

    demand: int
    amount: int
    options: tuple[Ints, ...]

    def holds(self, counts: Ints) -> bool:
        """Tell whether the counts, ``(X,)``, keep the limit."""
        sums = [int(counts[option].sum()) for option in self.options]
        return sum(sums) == 0 or (sum(sums) == self.amount and max(sums) == self.amount)


@dataclass(frozen=True, eq=False, slots=True)
class Skew:
    """One hard spread of one demand over ``D`` values of its label.

    Attributes
    ----------
    lanes, place
        The demand's own lanes and the value each leads to, both ``(L,)``.
    held
        Shape ``(D,)``. Machines of the need there now.
    known
        Shape ``(D,)``. Values that count from the start; the others once a machine arrives.
    openers
        For each value the lanes, of whatever demand, that bring a matching machine of it.
    """

    skew: int
    lanes: Ints
    place: Ints
    held: Ints
    known: Mask
    openers: tuple[Ints, ...]

    def holds(self, counts: Ints) -> bool:
        """Tell whether the counts, ``(X,)``, keep the limit."""
        arriving = self.arriving(counts)
        if not arriving.any():
            return True
        total = self.held + arriving
        opened = np.array([counts[lanes].sum() > 0 for lanes in self.openers], dtype=np.bool_)
        least = int(total[self.known | opened].min())
        return bool((total[arriving > 0] - least <= self.skew).all())

    def arriving(self, counts: Ints) -> Ints:
        """Give the machines that the demand gains at each value, ``(D,)``."""
        gained = np.zeros(len(self.held), dtype=np.int64)
        np.add.at(gained, self.place, counts[self.lanes])
        return gained


@dataclass(frozen=True, eq=False, slots=True)
class Relocation:
    """A gang that moves leaves all its old machines to one heir; one that stays, to evictors only.

    Attributes
    ----------
    moving, amount
        Its lanes to a new place, and how many machines it has.
    takers
        Lanes from its old machines, for each demand that could take them.
    heirs, evictors
        Beside ``takers``: who may take them when it moves, and who when it does not.
    """

    moving: Ints
    amount: int
    takers: tuple[Ints, ...]
    heirs: Mask
    evictors: Mask

    def holds(self, counts: Ints) -> bool:
        """Tell whether the counts, ``(X,)``, keep the limit."""
        taken = np.array([counts[lanes].sum() for lanes in self.takers], dtype=np.int64)
        if not counts[self.moving].any():
            return not taken[~self.evictors].any()
        all_to_one = taken.sum() == self.amount and taken.max() == self.amount
        return bool(all_to_one and self.heirs[taken.argmax()])


Limit = Cap | Choice | Skew | Relocation


@dataclass(frozen=True, eq=False, slots=True)
class Shape:
    """What a solver has to know of a draft: numbers only, and small enough to be sent away.

    ``most``, ``(X,)``, is the largest count of each lane.
    """

    most: Ints
    limits: tuple[Limit, ...]

    def __len__(self) -> int:
        return len(self.most)

    def holds(self, counts: Ints) -> bool:
        """Tell whether counts of machines per lane, ``(X,)``, keep every limit."""
        if ((counts < 0) | (counts > self.most)).any():
            return False
        return all(limit.holds(counts) for limit in self.limits)


@dataclass(frozen=True, eq=False, slots=True)
class Draft:
    """The decision of one problem: its lanes and limits over a snapshot."""

    snapshot: Snapshot
    lanes: Lanes
    limits: tuple[Limit, ...]

    @property
    def shape(self) -> Shape:
        """Give the numbers without what they stand for."""
        return Shape(self.lanes.most, self.limits)

    def holds(self, counts: Ints) -> bool:
        """Tell whether counts of machines per lane, ``(X,)``, keep every limit."""
        return self.shape.holds(counts)

    def victims(self) -> Ints:
        """Give the need that loses on each lane, -1 where none does, ``(X,)``."""
        victim: Ints = self.snapshot.supply.victim[self.lanes.group]
        return victim

    def gained(self, counts: Ints) -> Ints:
        """Give the machines that each need of the fleet gets, ``(N,)``."""
        need = self.snapshot.demand.need[self.lanes.demand]
        return sums(need, counts, len(self.snapshot.fleet.needs))

    def lost(self, counts: Ints) -> Ints:
        """Give the machines that each need of the fleet loses, ``(N,)``."""
        victims = self.victims()
        loses = victims >= 0
        return sums(victims[loses], counts[loses], len(self.snapshot.fleet.needs))

    def drains(self) -> Mask:
        """Mark the lanes whose machines must be drained first, ``(X,)``."""
        mask: Mask = self.snapshot.supply.drains[self.lanes.group]
        return mask

    def creates(self) -> Mask:
        """Mark the lanes whose machines do not exist yet, ``(X,)``."""
        mask: Mask = self.snapshot.supply.kind[self.lanes.group] == SupplyKind.SPECULATIVE
        return mask


def nothing(draft: Draft) -> NDArray[np.int64]:
    """Give the counts of a plan without a move, ``(X,)``."""
    return np.zeros(len(draft.lanes), dtype=np.int64)
