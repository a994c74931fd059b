"""How many machines a need could have if only some of its terms held: counting, and no search.

Machines are counted by the set of terms that refuse them. Without gangs, spreads and floors the
need could have all that none of the kept terms refuses; these three look at several machines at
once:

    domain   the best (shard, domain) alone counts; a gang that has machines has but one domain
    floor    of machines that may be interrupted, count - floor less those it has
    skew     see ``skew.even_gap``; several hard spreads are counted one by one, the worst stands

What is counted is what a need could have at best. A cycle or a plan that goes another way is found
out by trying, see ``ranking``.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from models.distinct import distinct, sums
from models.fleet import Codes, Ints, Mask, Reals
from models.rules import Rule
from rebalancer.explain.scene import Scene, refusals, refused_cells
from rebalancer.explain.skew import Even, even_gap
from rebalancer.explain.terms import OF_FLEET, Term


@dataclass(frozen=True, slots=True)
class Gap:
    """What is missing while some terms hold.

    Attributes
    ----------
    missing
        Machines to add.
    shard
        Where to add them.
    domain
        The domain in which, for a gang; -1 for any.
    spread, values
        For a need that is spread: its place in the need's list, and how many at each value.
    only_safe
        Whether they must be machines that nothing interrupts.
    """

    missing: int
    shard: int
    domain: int = -1
    spread: int = -1
    values: tuple[tuple[int, int], ...] = ()
    only_safe: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Counting:
    """Machines by the terms that refuse them; ``R`` rows that nothing here tells apart.

    Attributes
    ----------
    refused
        Shape ``(P, T)``: sets of terms. ``pattern``, ``(R,)``, is the one of each row.
    count, shard, holder
        Shape ``(R,)``.
    own
        Shape ``(R,)``. What the need has, or will have.
    risky
        Shape ``(R,)``. What may be interrupted.
    domain, values
        Shape ``(R,)``. The gang's domain, and the value of each spread; -1 for none.
    class_index
        Shape ``(R,)``. The class of a machine of the row, where rows were merged of one of them.
    refused_cells
        The cells, ``(C,)``, that each requirement and resource refuses.
    """

    scene: Scene
    refused: NDArray[np.bool_]
    pattern: Ints
    count: Ints
    shard: Ints
    holder: Ints
    own: Mask
    risky: Mask
    domain: Codes
    class_index: Ints
    values: tuple[Codes, ...]
    refused_cells: Mapping[Term, Mask]

    @property
    def price(self) -> Reals:
        """Give the price of a machine of each row, ``(R,)`` USD an hour."""
        return self.scene.fleet.numbers.price_per_hour[self.class_index]

    def only(self, rows: Ints) -> "Counting":
        """Give some of the rows."""
        # Every field is named, so that none that is added later can be left uncut.
        return Counting(
            scene=self.scene,
            refused=self.refused,
            pattern=self.pattern[rows],
            count=self.count[rows],
            shard=self.shard[rows],
            holder=self.holder[rows],
            own=self.own[rows],
            risky=self.risky[rows],
            domain=self.domain[rows],
            class_index=self.class_index[rows],
            values=tuple(value[rows] for value in self.values),
            refused_cells=self.refused_cells,
        )

    def suits(self, kept: Collection[Term]) -> Mask:
        """Mark the rows that none of the kept terms refuses; not what the need has already."""
        mask: Mask = self._passes(kept)[self.pattern] & ~self.own
        return mask

    def number(self, kept: Collection[Term]) -> int:
        """Count the machines that none of the kept terms refuses on its own."""
        return int(self.count[self.suits(kept)].sum())

    def at_hand(self, kept: Collection[Term]) -> int:
        """Give how many machines the need could have in all, up to what it lacks."""
        return self.scene.lacks - self.gap(kept).missing

    def gap(self, kept: Collection[Term], freed: Mask | None = None) -> Gap:
        """Give what is missing; ``freed`` marks rows that may be had as well."""
        suits = self.suits(kept)
        if freed is not None:
            suits = suits | (freed & ~self.own)
        floored = any(term.rule is Rule.FLOOR for term in kept)
        if any(term.rule is Rule.DOMAIN for term in kept):
            return self._in_a_domain(suits, floored)
        gaps = [self._anywhere(suits, floored)]
        gaps += [
            self._spread(suits, term, kept) for term in self.scene.terms
            if term.rule is Rule.SPREAD and term in kept
        ]  # fmt: skip
        return max(gaps, key=lambda gap: (gap.missing, gap.values))

    def risky_room(self) -> int:
        """Give how many machines that may be interrupted the floor leaves room for."""
        need = self.scene.need
        held = int(self.count[self.own & self.risky].sum())
        return max(0, need.count - need.floor - held)

    def merged(self, *, whole: bool = False) -> "Counting":
        """Give the rows without their holders and, unless ``whole``, what the fleet refuses anyway.

        Where a spread is asked such rows stay, for they say which values there are.
        """
        home = self.shard == self.scene.shard
        is_gang, is_spread = self.scene.need.is_gang, bool(self.values)
        of_fleet = np.array([term.rule in OF_FLEET for term in self.scene.terms])
        refused: Mask = np.logical_or.reduce(self.refused[:, of_fleet], axis=1)
        hopeless = refused[self.pattern]
        rows = np.flatnonzero(self.own | ~hopeless | whole | (is_spread & home))
        columns = [self.pattern, self.own, self.risky, self.shard if is_gang else home, self.domain]
        stacked = np.column_stack([column[rows] for column in (*columns, *self.values)])
        number, first = distinct(stacked.astype(np.int32))
        merged = self.only(rows[first])
        return replace(merged, count=sums(number.astype(np.int64), self.count[rows], len(first)))

    def _passes(self, kept: Collection[Term]) -> Mask:
        held = np.array([term in kept for term in self.scene.terms], dtype=np.bool_)
        refused: Mask = np.logical_or.reduce(self.refused[:, held], axis=1)
        return ~refused

    def _anywhere(self, suits: Mask, floored: bool) -> Gap:
        safe = int(self.count[suits & ~self.risky].sum())
        risky = int(self.count[suits & self.risky].sum())
        room = self.risky_room() if floored else risky
        missing = max(0, self.scene.lacks - safe - min(risky, room))
        only_safe = floored and room - min(risky, room) < missing
        return Gap(missing, self.scene.shard, only_safe=only_safe)

    def _in_a_domain(self, suits: Mask, floored: bool) -> Gap:
        """Look at each (shard, domain); its own shard comes first, then the first by name."""
        scene, lacks = self.scene, self.scene.lacks
        room = self.risky_room() if floored else lacks
        inside = self.domain >= 0
        pinned = self.domain[self.own & inside]
        if len(pinned):
            inside &= self.domain == np.bincount(pinned).argmax()
        rows = np.flatnonzero(inside & (suits | (self.shard == scene.shard)))
        if not len(rows):
            return Gap(lacks, scene.shard, only_safe=floored and room < lacks)
        domains = int(self.domain.max()) + 1
        option = self.shard[rows] * domains + self.domain[rows]
        names, place = np.unique(option, return_inverse=True)
        count, risky = self.count[rows] * suits[rows], self.risky[rows]
        safe = sums(place.astype(np.int64), count * ~risky, len(names))
        may = sums(place.astype(np.int64), count * risky, len(names))
        total = np.minimum(safe + np.minimum(may, room), lacks)
        best = int(np.lexsort((names, names // domains != scene.shard, -total))[0])
        missing, left = lacks - int(total[best]), room - min(int(may[best]), room)
        shard, domain = divmod(int(names[best]), domains)
        return Gap(missing, shard, domain, only_safe=floored and left < missing)

    def _spread(self, suits: Mask, term: Term, kept: Collection[Term]) -> Gap:
        """Count by value: those of matching machines of its shard, in any state.

        What arrives from elsewhere may bring values of its own, if that is of use.
        """
        scene, value = self.scene, self.values[term.index]
        skew = scene.need.spread[term.index].max_skew
        asked = [each for each in kept if each.rule in (Rule.MATCHES, Rule.FITS)]
        there, size = value >= 0, int(value.max(initial=-1)) + 1
        place = value.astype(np.int64)
        held, free = (
            sums(place[there & mask], self.count[there & mask], size) for mask in (self.own, suits)
        )
        matches = self._passes(asked)[self.pattern]
        known = np.unique(value[there & matches & (self.shard == scene.shard)])
        best: dict[int, int] | None = None
        for values in (known, np.union1d(known, np.flatnonzero(free))):
            places = [Even(at, int(held[at]), int(free[at])) for at in values.tolist()]
            added = even_gap(places, scene.lacks, skew)
            if added is not None and (best is None or sum(added.values()) < sum(best.values())):
                best = added
        if best is None:
            return Gap(scene.lacks, scene.shard, spread=term.index)
        values_now = tuple(sorted(best.items()))
        return Gap(sum(best.values()), scene.shard, spread=term.index, values=values_now)


def counting_of(scene: Scene) -> Counting:
    """Sort the parcels of a scene by the terms that refuse them."""
    parcels, fleet, need = scene.parcels, scene.fleet, scene.need
    cells = refused_cells(scene)
    refused, pattern = refusals(scene, cells)
    p = fleet.numbers.interruption_probability[fleet.cells.class_index]
    nowhere = np.full(len(fleet.cells), -1, dtype=np.int32)
    level = nowhere if need.same is None else scene.matching.domains(need.same)
    return Counting(
        scene=scene,
        refused=refused,
        pattern=pattern,
        count=parcels.count,
        shard=parcels.shard,
        holder=parcels.holder,
        own=parcels.holder == scene.row,
        risky=(p > 0)[parcels.cell],
        domain=level[parcels.cell],
        class_index=fleet.cells.class_index[parcels.cell].astype(np.int64),
        values=tuple(scene.matching.values(each.key)[parcels.cell] for each in need.spread),
        refused_cells=cells,
    )
