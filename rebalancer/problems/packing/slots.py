"""From whole slots to homes: who takes a slot, and which rack it is in. Exact, without a solver."""

from collections import defaultdict
from heapq import heappop, heappush

import numpy as np

from models.fleet import Ints, Mask, Reals
from rebalancer.problems.packing.classes import GangClasses
from rebalancer.problems.packing.columns import RACK, SPINE
from rebalancer.problems.packing.hall import Hall
from rebalancer.problems.packing.model import Model, Slot
from rebalancer.problems.packing.worth import NOWHERE

Places = dict[Slot, list[int]]
"""The rack's row, or the pool, of each slot."""

LARGEST = 2.0**40
"""No sound column is that large."""

NEARLY = 1e-6
"""What a solver may be off a whole number."""


def homes(question: Hall, model: Model, columns: Reals) -> Ints | None:
    """Give the homes that the columns of a model lead to, ``(G,)``; None where they make no sense.

    Of like gangs the lower rows are served, in the lower racks.
    """
    if columns.shape != model.programme.lower.shape or not (np.abs(columns) < LARGEST).all():
        return None
    places: Places = defaultdict(list)
    for number, block in enumerate(model.blocks):
        net, free = model.graphs[number], question.racks.free[block.rows]
        slots = _whole(columns[model.arcs[number]])
        alone = _whole(columns[model.alone[number]]) if block.pool >= 0 else None
        racks = peeled(free, net.tail, net.size, slots, _first(free, alone))
        if racks is None:
            return None
        for size, rack in racks:
            places[RACK, size, block.type].append(int(block.rows[rack]))
        draws = _whole(columns[model.draws[number]]).tolist()
        for size, count in zip(model.draw_sizes[number].tolist(), draws, strict=True):
            places[SPINE, size, block.type] += [block.pool] * count
    return _filled(question, model.classes, places, ranks=len(model.held_row) + 1)


def rounded(question: Hall, model: Model, columns: Reals) -> Ints | None:
    """Give the homes that the columns lead to when slots of racks are rounded down; as above.

    Fewer slots always fit. Those of pools, which may stand for many, are left out.
    """
    if columns.shape != model.programme.lower.shape or not (np.abs(columns) < LARGEST).all():
        return None
    fewer = np.zeros(len(columns))
    for arcs in model.arcs:
        fewer[arcs] = np.floor(columns[arcs] + NEARLY)
    return homes(question, model, fewer)


def _whole(columns: Reals) -> Ints:
    return np.maximum(np.rint(columns), 0).astype(np.int64)


def _first(free: Ints, alone: Ints | None) -> Mask | None:
    """Mark the first racks of each height, as many as are to be left alone; None if none are."""
    if alone is None or not len(alone):
        return None
    order = np.argsort(free, kind="stable")
    heights, which = np.unique(free, return_inverse=True)
    rank = np.empty(len(free), dtype=np.int64)
    rank[order] = np.arange(len(free)) - np.searchsorted(free[order], free[order])
    mask: Mask = (rank < alone[which]) & (heights[which] > 0)
    return mask


def peeled(
    free: Ints, tail: Ints, size: Ints, count: Ints, alone: Mask | None = None
) -> list[tuple[int, int]] | None:
    """Cut slots [tail, tail + size) out of racks [0, free), so that none overlap in a rack.

    Gives (size, rack) for each; None where some place is crossed by more slots than racks, which
    is the only obstacle: from the far end on, a slot takes any rack that is free there. Racks that
    are ``alone`` are kept out of it; unless told, as many as can be, the largest first.
    """
    tail, size, count = tail[count > 0], size[count > 0], count[count > 0]
    head = tail + size
    room = int(free.max(initial=0))
    if (head > room).any():
        return None
    crossed = np.zeros(room + 1, dtype=np.int64)
    np.add.at(crossed, tail, count)
    np.add.at(crossed, head, -count)
    # Racks that reach beyond each place, less the slots that cross it.
    there = free if alone is None else free[~alone]
    spare = np.cumsum(np.bincount(there, minlength=room + 1)[::-1])[::-1][1:]
    spare = spare - np.cumsum(crossed)[:room]
    if (spare < 0).any():
        return None
    order = np.argsort(-free, kind="stable")
    used = []
    for rack in order.tolist():
        height = int(free[rack])
        if alone is None and height and spare[:height].min() > 0:
            spare[:height] -= 1
        elif alone is None or not alone[rack]:
            used.append(rack)
    return _cut(free, used, np.repeat(tail, count), np.repeat(head, count))


def _cut(free: Ints, used: list[int], tail: Ints, head: Ints) -> list[tuple[int, int]]:
    """Give each slot a rack; ``used`` are sorted by height, from the highest down."""
    waiting = used[::-1]
    idle: list[int] = []
    busy: list[tuple[int, int]] = []  # The place down to which a rack is used, negative, and it.
    found = []
    for place in np.lexsort((tail, -head)).tolist():
        start, end = int(tail[place]), int(head[place])
        while waiting and free[waiting[-1]] >= end:
            heappush(idle, waiting.pop())
        while busy and -busy[0][0] >= end:
            heappush(idle, heappop(busy)[1])
        rack = heappop(idle)
        heappush(busy, (-start, rack))
        found.append((end - start, rack))
    return found


def _filled(question: Hall, classes: GangClasses, places: Places, ranks: int) -> Ints:
    """Give the slots to gangs: the most machines at each priority, from the highest down."""
    home = np.full(len(question.gangs), NOWHERE, dtype=np.int64)
    members = np.split(np.argsort(classes.of, kind="stable"), np.cumsum(classes.count)[:-1])
    for level, size in sorted({slot[:2] for slot in places}):
        # Sorted by rank, as classes are.
        here = (classes.level == level) & (classes.size == size) & (classes.rank < ranks)
        rows = np.flatnonzero(here).tolist()
        kinds = sorted(slot[2] for slot in places if slot[:2] == (level, size))
        racks = {kind: sorted(places[level, size, kind], reverse=True) for kind in kinds}
        wants = [
            (int(classes.count[row]),
             [kind for kind in kinds if question.eligible[classes.types[row], kind]])
            for row in rows
        ]  # fmt: skip
        shares = matched(wants, {kind: len(racks[kind]) for kind in kinds})
        for row, share in zip(rows, shares, strict=True):
            gangs = iter(members[row].tolist())
            for kind, count in sorted(share.items()):
                for _ in range(count):
                    home[next(gangs)] = racks[kind].pop()
    return home


def matched(wants: list[tuple[int, list[int]]], slots: dict[int, int]) -> list[dict[int, int]]:
    """Share slots by type among classes (count, types), the first before all later ones.

    Gives what each class has of each type. Augmenting paths: a class that came later never takes
    from an earlier one without a substitute, so the first classes together have as much as can be.
    """
    left = dict(slots)
    share: list[dict[int, int]] = [dict.fromkeys(types, 0) for _, types in wants]
    for number, (count, _) in enumerate(wants):
        while count and (path := _path(number, share, left)):
            most = min(count, left[path[-1][1]], *(share[c][a] for c, a, _ in _steps(path)))
            share[number][path[0][1]] += most
            for other, old, new in _steps(path):
                share[other][old] -= most
                share[other][new] += most
            left[path[-1][1]] -= most
            count -= most
    return share


def _steps(path: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Give (class, type it leaves, type it enters) along a path of (class, type it enters)."""
    return [(c, path[n][1], new) for n, (c, new) in enumerate(path[1:])]


def _path(
    number: int, share: list[dict[int, int]], left: dict[int, int]
) -> list[tuple[int, int]] | None:
    """Give the shortest path by which a class gains a slot, as (class, type it enters)."""
    came: dict[int, tuple[int, int] | None] = {}
    queue: list[int] = []
    for kind in share[number]:
        came[kind] = None
        queue.append(kind)
    for kind in queue:
        if left[kind]:
            path = []
            at: int | None = kind
            while at is not None:
                step = came[at]
                path.append((number if step is None else step[0], at))
                at = None if step is None else step[1]
            return path[::-1]
        for other in range(number):
            if share[other].get(kind):
                for entered in share[other]:
                    if entered not in came:
                        came[entered] = (other, kind)
                        queue.append(entered)
    return None
