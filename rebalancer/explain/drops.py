"""Which of its requirements a need could do without, and what would still have to be added.

The least sum of weights of what is dropped, then the fewest machines added: every set of what the
need asks is counted, the lightest first, where these are few; else the sets of up to three.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from models.rules import Rule
from rebalancer.explain.change import (
    AskLess,
    Dropped,
    DropRequirement,
    DropSame,
    DropSpread,
    LowerFloor,
)
from rebalancer.explain.counting import Counting, Gap
from rebalancer.explain.terms import Term
from rebalancer.explain.weights import weight_of

ALL_SETS = 10
"""Terms up to which all sets are counted: 1,024 of them."""

MOST_DROPPED = 3
"""Beyond that, so many are dropped at once."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Terms to drop, what still is missing then, and what that weighs.

    ``is_wider``: fewer of them are enough, by counting.
    """

    terms: tuple[Term, ...]
    gap: Gap
    weight: int
    is_wider: bool = False


def drops(counting: Counting) -> list[Drop]:
    """Give the sets worth dropping: those of which no part does as well, lightest first.

    Sets that make up for all that is missing come before those that leave something to add; in
    between come wider ones, for what counting says may fail: a gang that asks for less may find
    that machines of its cluster count for it, and pin it to their domain.
    """
    scene = counting.scene
    asked = [term for term in scene.terms if term.is_asked]
    least: dict[tuple[Term, ...], int] = {(): counting.gap(scene.terms).missing}
    most = len(asked) if len(asked) <= ALL_SETS else MOST_DROPPED
    found = []
    for size in range(1, most + 1):
        for chosen in combinations(asked, size):
            before = min(least[part] for part in _parts(chosen))
            weight = sum(weight_of(scene.need, t, scene.fleet.topology) for t in chosen)
            if not before:
                least[chosen] = 0
                found.append(Drop(chosen, Gap(0, scene.shard), weight, is_wider=True))
                continue
            gap = counting.gap([term for term in scene.terms if term not in chosen])
            least[chosen] = min(gap.missing, before)
            if gap.missing < before:
                found.append(Drop(chosen, gap, weight))
    return sorted(
        found, key=lambda drop: (drop.gap.missing > 0, drop.is_wider, drop.weight, drop.gap.missing)
    )


def _parts(chosen: tuple[Term, ...]) -> Iterator[tuple[Term, ...]]:
    """Give the set without each of its terms; what is left of them has been counted before."""
    for left_out in range(len(chosen)):
        yield chosen[:left_out] + chosen[left_out + 1 :]


def as_parts(counting: Counting, drop: Drop) -> tuple[Dropped, ...]:
    """Give the edits; of a resource or a floor only as much is taken away as it takes."""
    return tuple(_edit(counting, drop, term) for term in drop.terms)


def _edit(counting: Counting, drop: Drop, term: Term) -> Dropped:
    need = counting.scene.need
    match term.rule:
        case Rule.DOMAIN:
            return DropSame(term.text)
        case Rule.SPREAD:
            return DropSpread(term.index, term.text)
        case Rule.FLOOR:
            return LowerFloor(_floor(counting, drop), term.text)
        case Rule.FITS:
            return AskLess(term.resource, _amount(counting, drop, term), term.text)
    return DropRequirement(need.requirements[term.index], term.text)


def _floor(counting: Counting, drop: Drop) -> int:
    """Give the highest floor that does as well as none."""
    scene, low, high = counting.scene, 0, counting.scene.need.floor - 1
    floor = next(term for term in drop.terms if term.rule is Rule.FLOOR)
    kept = [term for term in scene.terms if term not in drop.terms or term == floor]
    while low < high:
        middle = (low + high + 1) // 2
        needs = list(scene.fleet.needs)
        needs[scene.row] = replace(scene.need, floor=middle)
        tried = replace(scene, fleet=replace(scene.fleet, needs=tuple(needs)))
        if replace(counting, scene=tried).gap(kept).missing <= drop.gap.missing:
            low = middle
        else:
            high = middle - 1
    return low


def _amount(counting: Counting, drop: Drop, term: Term) -> int:
    """Give the largest amount of a resource that does as well as none."""
    scene = counting.scene
    if term.resource not in scene.fleet.resources:
        return 0
    column = scene.fleet.numbers.resources[:, scene.fleet.resources.index(term.resource)]
    asked = scene.need.resources[term.resource]
    amounts = np.unique(column[column < asked])[::-1].tolist()
    place = scene.terms.index(term)
    kept = [other for other in scene.terms if other not in drop.terms]
    for amount in amounts:
        too_small = (column < amount)[counting.class_index]
        refused = np.vstack([counting.refused, counting.refused])
        refused[: len(counting.refused), place] = False
        refused[len(counting.refused) :, place] = True
        pattern = counting.pattern + too_small * len(counting.refused)
        tried = replace(counting, refused=refused, pattern=pattern)
        if tried.gap([*kept, term]).missing <= drop.gap.missing:
            return int(amount)
    return 0
