"""The smallest changes that would serve a need, ranked: the best of each kind, then runners-up.

    fewest machines added            no rule dropped
    lowest price                     of the machines added, for it or for a need that comes before
    weakest requirement dropped      least weight; then the fewest machines added beside it
    a lower need displaced           lowest priority, then fewest machines, then least damage

With ``Try``, which plans for the changed fleet, every change is tried: what does not serve the need
grows until it does, what serves it shrinks while it does, and a part that can be left out is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from math import inf, isnan

from models.need import MAX_COUNT
from rebalancer.explain.additions import Addition, additions
from rebalancer.explain.change import Add, Change, ChangeKind, Dropped, LowerGap, Part, Reduce
from rebalancer.explain.counting import Counting, counting_of
from rebalancer.explain.displaced import displacements, swaps
from rebalancer.explain.drops import Drop, as_parts, drops
from rebalancer.explain.parcels import Doing
from rebalancer.explain.turns import turns
from rebalancer.explain.weights import weight_of

Try = Callable[[Change], int | None]
"""Gives how many machines the need lacks once a change is made; None: there is no time to see."""

MOST_RANKED = 6
"""Changes that are shown: one or two of each kind, which fit a screen."""

TRIED_A_KIND = 8
"""Changes of a kind that are tried, some of which fail: a try is a cycle and often a plan."""

GROWN = 4
"""How often a change that does not serve the need is made larger by what it still lacks."""


def ranked(counting: Counting, tried: Try | None = None) -> tuple[Change, ...]:
    """Give up to six changes, none twice: the best of each kind, then the seconds, and so on.

    Where time is short the best of each kind are tried first; what was not tried comes after what
    was.
    """
    added = _added(counting)
    streams = [
        _confirmed(_fewest(added), tried),
        _confirmed(_cheapest(added), tried),
        _weakest(counting, tried),
        _confirmed(_lower(counting, tried), tried),
        _confirmed(_setting(counting, tried), tried),
    ]
    if tried is not None:
        streams.append(_in_turn(counting, tried))
    kinds: list[list[Change]] = [[] for _ in streams]
    for _ in range(MOST_RANKED):
        for kind, stream in zip(kinds, streams, strict=True):
            kind += [change for change in [next(stream, None)] if change is not None]
    fewest, cheapest, weakest, lower, _, *in_turn = kinds
    for change in (each for stream in in_turn for each in stream):
        if all(change.machines_added < other.machines_added for other in fewest):
            fewest.append(replace(change, kind=ChangeKind.FEWEST_MACHINES))
        else:
            cheapest.append(change)
    del kinds[5:]
    if tried is not None:
        # Trying has made some smaller, and others larger, than counting had them.
        fewest.sort(key=lambda change: change.machines_added)
        weakest.sort(key=lambda change: _weight(counting, change))
        lower.sort(key=_displaced)
        for kind in kinds:
            kind.sort(key=lambda change: not change.is_tried)
    if fewest:
        cheapest[:] = [each for each in cheapest if _price(each) < _price(fewest[0])]
        cheapest.sort(key=_price)
    found: list[Change] = []
    for change in (each for row in zip_longest(*kinds) for each in row):
        if change is not None and all(change.parts != other.parts for other in found):
            found.append(change)
    return tuple(found[:MOST_RANKED])


def _price(change: Change) -> float:
    return inf if isnan(change.price_per_hour) else change.price_per_hour


def _weight(counting: Counting, change: Change) -> tuple[bool, int, int]:
    """Order changes that drop something: what adds nothing first, then the lightest."""
    scene, added = counting.scene, change.machines_added
    texts = {part.text for part in change.parts if isinstance(part, Dropped)}
    terms = [term for term in scene.terms if term.text in texts]
    weight = sum(weight_of(scene.need, term, scene.fleet.topology) for term in terms)
    return added > 0, weight, added


def _displaced(change: Change) -> list[tuple[int, int]]:
    return [(part.priority, part.by) for part in change.parts if isinstance(part, Reduce)]


def _added(counting: Counting) -> list[Addition]:
    kept = counting.scene.terms
    return additions(counting, kept, counting.gap(kept))


def _fewest(added: list[Addition]) -> Iterator[Change]:
    for addition in added:
        yield Change(ChangeKind.FEWEST_MACHINES, addition.parts)


def _cheapest(added: list[Addition]) -> Iterator[Change]:
    """Give what is cheaper than the fewest machines, the cheapest first."""
    for addition in sorted(added, key=lambda each: (each.price, each.count)):
        if addition.price < added[0].price:
            yield Change(ChangeKind.LOWEST_PRICE, addition.parts)


def _in_turn(counting: Counting, tried: Try) -> Iterator[Change]:
    """Give machines for needs that come before, where a plan shows that this one is served."""
    found = (Change(ChangeKind.LOWEST_PRICE, addition.parts) for addition in turns(counting))
    return (change for change in _confirmed(found, tried) if change.is_tried)


def _weakest(counting: Counting, tried: Try | None) -> Iterator[Change]:
    """Give what to drop, confirmed: wider sets only where none of the narrow ones will do."""
    found = drops(counting.merged())
    enough = [drop for drop in found if not drop.gap.missing and not drop.is_wider]
    wider = [drop for drop in found if drop.is_wider]
    will_do = False
    for change in _confirmed(_dropping(counting, enough), tried):
        will_do = True
        yield change
    if not will_do and tried is not None:
        yield from _confirmed(_dropping(counting, wider), tried)
    mixed = [drop for drop in found if drop.gap.missing]
    yield from _confirmed(_dropping(counting, mixed), tried)


def _dropping(counting: Counting, found: Sequence[Drop]) -> Iterator[Change]:
    """Give the changes that drop some terms, and add what then is missing."""
    for drop in found:
        parts: tuple[Part, ...] = as_parts(counting, drop)
        if drop.gap.missing:
            kept = [term for term in counting.scene.terms if term not in drop.terms]
            more = additions(counting, kept, drop.gap)
            if not more:
                continue
            parts = (*parts, *more[0].parts)
        yield Change(ChangeKind.WEAKEST_REQUIREMENT, parts)


def _lower(counting: Counting, tried: Try | None) -> Iterator[Change]:
    needs = counting.scene.fleet.needs
    for each in displacements(counting) if tried is None else swaps(counting):
        need = needs[each.row]
        part = Reduce(need.cluster, need.id, need.name, need.priority, need.count, each.by)
        yield Change(ChangeKind.LOWER_NEED, (part,))


def _setting(counting: Counting, tried: Try | None) -> Iterator[Change]:
    """Lower the gap over which other shards' machines are drained, where it is in the way.

    Where it is not tried, counting has to show that it serves.
    """
    scene = counting.scene
    needs = scene.fleet.needs
    gaps = sorted(
        {
            scene.need.priority - needs[row].priority
            for row in set(counting.holder[scene.parcels.doing == Doing.RUNS].tolist())
            if row >= 0 and 0 < scene.need.priority - needs[row].priority < scene.rules.min_gap
        },
        reverse=True,
    )
    for gap in gaps:
        lower = replace(scene, rules=replace(scene.rules, min_gap=gap))
        if tried is None and counting_of(lower).gap(scene.terms).missing:
            continue
        yield Change(ChangeKind.SETTING, (LowerGap(gap, scene.rules.min_gap),))


def _confirmed(stream: Iterator[Change], tried: Try | None) -> Iterator[Change]:
    for change in islice(stream, TRIED_A_KIND):
        found = change if tried is None else _settled(change, tried)
        if found is not None:
            yield found


def _settled(change: Change, tried: Try) -> Change | None:
    """Give the change as large as it must be, without parts to spare; None where it does not do."""
    for _ in range(GROWN):
        lacks = tried(change)
        if lacks is None:
            return change
        if not lacks:
            return replace(_shrunk(change, tried), is_tried=True)
        larger = _scaled(change, lacks)
        if larger is None:
            return None
        change = larger
    return None


def _shrunk(change: Change, tried: Try) -> Change:
    """Leave out parts and machines while the rest does."""
    place = 0
    while place < len(change.parts) and len(change.parts) > 1:
        rest = replace(change, parts=(*change.parts[:place], *change.parts[place + 1 :]))
        if tried(rest) == 0:
            change = rest
        else:
            place += 1
    for place, part in enumerate(change.parts):
        low, high = 0, _size(part)
        # Mostly the size is right, and one question shows it.
        guess = high - 1
        while low + 1 < high:
            smaller = _resized(change, place, guess)
            if tried(smaller) == 0:
                high = guess
            else:
                low = guess
            guess = (low + high) // 2
        change = _resized(change, place, high)
    return change


def _size(part: Part) -> int:
    match part:
        case Add():
            return part.row.count
        case Reduce():
            return part.by
    return 0


def _resized(change: Change, place: int, size: int) -> Change:
    part = change.parts[place]
    match part:
        case Add():
            part = replace(part, row=replace(part.row, count=size))
        case Reduce():
            part = replace(part, by=size)
    return replace(change, parts=(*change.parts[:place], part, *change.parts[place + 1 :]))


def _scaled(change: Change, more: int) -> Change | None:
    """Give the change with its last part of a size made larger; None where none has a size."""
    for place in range(len(change.parts) - 1, -1, -1):
        part = change.parts[place]
        size, most = _size(part), part.count if isinstance(part, Reduce) else MAX_COUNT
        if size:
            return _resized(change, place, size + more) if size + more <= most else None
    return None
